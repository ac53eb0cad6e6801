/**
 * The timers that a page shows for a session. `clock` names the timer that the host or the flow has designated. If the state
 * has this timer, only this timer is shown. Otherwise all countdowns are shown, or all pendulums if there is no countdown.
 */
export function shownTimersOf({ timers, clock }) {
    const designated = timers.filter(({ fires }) => fires === clock);
    if (designated.length > 0) return designated;
    const countdowns = timers.filter(({ kind }) => kind === "countdown");
    return countdowns.length > 0 ? countdowns : timers;
}
