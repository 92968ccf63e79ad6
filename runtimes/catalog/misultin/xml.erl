-module(xml).
-export([start/0]).

start() ->
    Port = list_to_integer(os:getenv("PORT")),
    {ok, Server} = misultin:start_link([{ip, "127.0.0.1"}, {port, Port}, {loop, fun answer/1}]),
    unlink(Server). %% outlives the process that -s runs this in

%% The value goes out as it came in, as in the post: nothing is escaped.
answer(Request) ->
    Body = case misultin_utility:get_key_value("value", misultin_req:parse_qs(Request)) of
        undefined -> <<"<http_test><error>no value specified</error></http_test>">>;
        Value -> ["<http_test><value>", Value, "</value></http_test>"]
    end,
    misultin_req:ok([{"Content-Type", "text/xml"}], Body, Request).
