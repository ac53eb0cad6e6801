import { designatedTimersOf, drawnTimersOf } from "../shared/rings.js";

/**
 * The timers that a page shows for a session. `clock` is the signal of the timer that the operator, by a label, or the flow has
 * chosen. If the state has this timer, only this timer is shown. Otherwise all countdowns and stopwatches are shown, or all
 * pendulums if there are none; never marks on countdowns.
 */
export function shownTimersOf(session) {
    const designated = designatedTimersOf(session);
    if (designated.length > 0) return designated;
    const drawn = drawnTimersOf(session);
    const others = drawn.filter(({ kind }) => kind !== "pendulum");
    return others.length > 0 ? others : drawn;
}
