-module(xml).
-export([start/0]).

start() ->
    {ok, _} = application:ensure_all_started(mochiweb),
    Port = list_to_integer(os:getenv("PORT")),
    {ok, Server} = mochiweb_http:start([{name, xml}, {ip, "127.0.0.1"}, {port, Port}, {max, 16384}, {loop, fun answer/1}]),
    unlink(Server). %% outlives the process that -s runs this in

%% The value goes out as it came in, as in the post: nothing is escaped.
answer(Request) ->
    Body = case proplists:get_value("value", mochiweb_request:parse_qs(Request)) of
        undefined -> <<"<http_test><error>no value specified</error></http_test>">>;
        Value -> ["<http_test><value>", Value, "</value></http_test>"]
    end,
    mochiweb_request:respond({200, [{"Content-Type", "text/xml"}], Body}, Request).
