/** The timers of a session that have a ring of their own: all but the marks on countdowns. */
export function drawnTimersOf(session) {
    return (session?.timers ?? []).filter(({ kind }) => kind !== "when");
}

/**
 * The timers that a page shows for a session. `clock` is the signal of the timer that the operator, by a label, or the flow has
 * chosen. If the state has this timer, only this timer is shown. Otherwise all countdowns and stopwatches are shown, or all
 * pendulums if there are none; never marks on countdowns.
 */
export function shownTimersOf(session) {
    const { clock } = session;
    const drawn = drawnTimersOf(session);
    const designated = drawn.filter(({ fires }) => fires === clock);
    if (designated.length > 0) return designated;
    const others = drawn.filter(({ kind }) => kind !== "pendulum");
    return others.length > 0 ? others : drawn;
}
