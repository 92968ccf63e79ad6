-module(hello).
-export([start/0]).

start() ->
    Port = list_to_integer(os:getenv("PORT")),
    {ok, Server} = misultin:start_link([{ip, "127.0.0.1"}, {port, Port}, {loop, fun answer/1}]),
    unlink(Server). %% outlives the process that -s runs this in

%% Called as a function of the module, not on the request: Erlang took the
%% latter away.
answer(Request) ->
    misultin_req:ok([{"Content-Type", "text/plain"}], <<"Hello World\n">>, Request).
