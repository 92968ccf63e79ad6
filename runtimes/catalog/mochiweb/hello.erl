-module(hello).
-export([start/0]).

start() ->
    {ok, _} = application:ensure_all_started(mochiweb),
    Port = list_to_integer(os:getenv("PORT")),
    {ok, Server} = mochiweb_http:start([{name, hello}, {ip, "127.0.0.1"}, {port, Port}, {max, 16384}, {loop, fun answer/1}]),
    unlink(Server). %% outlives the process that -s runs this in

%% Called as a function of the module, not on the request: Erlang took the
%% latter away.
answer(Request) ->
    mochiweb_request:respond({200, [{"Content-Type", "text/plain"}], <<"Hello World\n">>}, Request).
