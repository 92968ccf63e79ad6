%% Runs on every release of Cowboy since 2.0.
-module(hello).
-export([start/0, init/2]).

start() ->
    {ok, _} = application:ensure_all_started(cowboy),
    Port = list_to_integer(os:getenv("PORT")),
    Routes = cowboy_router:compile([{'_', [{'_', ?MODULE, []}]}]),
    {ok, _} = cowboy:start_clear(?MODULE, [{ip, {127, 0, 0, 1}}, {port, Port}],
        #{env => #{dispatch => Routes}, max_keepalive => infinity}).

init(Request, State) ->
    {ok, cowboy_req:reply(200, #{<<"content-type">> => <<"text/plain">>}, <<"Hello World\n">>, Request), State}.
