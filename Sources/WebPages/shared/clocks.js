/**
 * The timers of a session that people look at: the clock that the host or the flow designates; otherwise
 * the countdowns, or the pendulums if there is no countdown.
 */
export function shownTimersOf({ timers, clock }) {
    const designated = timers.filter(({ fires }) => fires === clock);
    if (designated.length > 0) return designated;
    const countdowns = timers.filter(({ kind }) => kind === "countdown");
    return countdowns.length > 0 ? countdowns : timers;
}
