-module(xml).
-export([start/0, out/1]).

start() ->
    Port = list_to_integer(os:getenv("PORT")),
    ok = yaws:start_embedded("/opt/hello",
        [{listen, {127, 0, 0, 1}}, {port, Port}, {appmods, [{"/", ?MODULE}]}, {flags, [{access_log, false}]}],
        [{logdir, "/tmp"}], "xml").

%% The value goes out as it came in, as the post's servers do: nothing is
%% escaped.
out(Request) ->
    Body = case yaws_api:queryvar(Request, "value") of
        undefined -> <<"<http_test><error>no value specified</error></http_test>">>;
        {ok, Value} -> ["<http_test><value>", Value, "</value></http_test>"]
    end,
    {content, "text/xml", Body}.
