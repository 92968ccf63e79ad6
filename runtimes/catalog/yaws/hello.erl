-module(hello).
-export([start/0, out/1]).

start() ->
    Port = list_to_integer(os:getenv("PORT")),
    ok = yaws:start_embedded("/opt/hello",
        [{listen, {127, 0, 0, 1}}, {port, Port}, {appmods, [{"/", ?MODULE}]}, {flags, [{access_log, false}]}],
        [{logdir, "/tmp"}], "hello").

out(_Request) -> {content, "text/plain", <<"Hello World\n">>}.
