%% Runs on every release of Cowboy since 2.0.
-module(xml).
-export([start/0, init/2]).

start() ->
    {ok, _} = application:ensure_all_started(cowboy),
    Port = list_to_integer(os:getenv("PORT")),
    Routes = cowboy_router:compile([{'_', [{'_', ?MODULE, []}]}]),
    {ok, _} = cowboy:start_clear(?MODULE, [{ip, {127, 0, 0, 1}}, {port, Port}],
        #{env => #{dispatch => Routes}, max_keepalive => infinity}).

%% The value goes out as it came in, as in the post: nothing is escaped.
init(Request, State) ->
    Body = case lists:keyfind(<<"value">>, 1, cowboy_req:parse_qs(Request)) of
        {_, Value} when is_binary(Value) -> [<<"<http_test><value>">>, Value, <<"</value></http_test>">>];
        _ -> <<"<http_test><error>no value specified</error></http_test>">>
    end,
    {ok, cowboy_req:reply(200, #{<<"content-type">> => <<"text/xml">>}, Body, Request), State}.
