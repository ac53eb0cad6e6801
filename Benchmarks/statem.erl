%% Runs the first three workloads of FlowBench with gen_statem. Prints "COUNTDOWN BOTH CYCLE": nanoseconds for one event, the
%% best of five rounds.
%% The countdown is a state_timeout; the pendulum is a named timeout that is set again when it fires.
-module(statem).
-behaviour(gen_statem).
-export([main/0, init/1, callback_mode/0, handle_event/4]).

callback_mode() -> handle_event_function.
init(Start) -> {ok, Start, 0}.

%% A state of the first two workloads is {red | green, Both}; Both says whether it has a pendulum too.
handle_event(cast, go, {red, Both}, D) -> {next_state, {green, Both}, D, timers(Both, 10000)};
handle_event(cast, stop, {green, Both}, D) -> {next_state, {red, Both}, D, timers(Both, 10000)};
%% The game's cycle.
handle_event(cast, {choose, L}, choosing, D) when L >= 1, L =< 5 ->
    {next_state, {playing, L}, D, timers(true, 90000)};
handle_event(cast, {complete, S}, {playing, L}, D) when S >= 0, S =< 1000000 ->
    {next_state, {finished, L, S}, D, [{state_timeout, 15000, idle}, {{timeout, beat}, cancel}]};
handle_event(cast, dismiss, {finished, _, _}, D) ->
    {next_state, choosing, D, [{state_timeout, 60000, idle}]};
handle_event({timeout, beat}, tick, _, D) ->
    {keep_state, D, [{{timeout, beat}, 1000, tick}]};
%% A countdown fires only if the computer stalls for seconds; it changes nothing.
handle_event(state_timeout, _, _, _) -> keep_state_and_data;
handle_event({call, From}, done, _, _) -> {keep_state_and_data, [{reply, From, ok}]}.

timers(false, Time) -> [{state_timeout, Time, over}];
timers(true, Time) -> [{state_timeout, Time, over}, {{timeout, beat}, 1000, tick}].

round(_, _, 0) -> ok;
round(P, Events, N) ->
    lists:foreach(fun(E) -> gen_statem:cast(P, E) end, Events),
    round(P, Events, N - 1).

measure(Start, Events) ->
    {ok, P} = gen_statem:start_link(?MODULE, Start, []),
    N = 100000,
    Times = [element(1, timer:tc(fun() ->
        round(P, Events, N), gen_statem:call(P, done, infinity) end)) || _ <- lists:seq(1, 5)],
    lists:min(Times) * 1000 div (N * length(Events)).

main() ->
    io:format("~p ~p ~p~n", [
        measure({red, false}, [go, stop]), measure({red, true}, [go, stop]),
        measure(choosing, [{choose, 3}, {complete, 100}, dismiss])]),
    halt().
