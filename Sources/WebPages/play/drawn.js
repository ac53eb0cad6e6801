import { isNamedTimer } from "../shared/flowwords.js";
import { designatedTimersOf, drawnTimersOf } from "../shared/rings.js";

/*
 * What of a session the players' page draws. A state's list `players` has the names of data and timers. Without a list, the
 * page draws all data, and the timers that somebody has named.
 */

/** The data by name, as people read them. */
export function drawnDataOf({ state, data = {} }, titles) {
    const names = titles.drawnNames(state)?.filter((name) => Object.hasOwn(data, name)) ?? Object.keys(data);
    return Object.fromEntries(names.map((name) => [name, titles.datumInWords(state, name, data[name])]));
}

export function drawnTimers(session, titles) {
    const { state, version } = session;
    const timers = drawnTimersOf(session);
    const names = titles.drawnNames(state);
    if (names) return names.flatMap((name) => timers.filter(({ fires }) => fires === name));
    const designated = designatedTimersOf(session);
    if (designated.length > 0) return designated;
    // The version of a flow file is a text. A flow in Swift has no titles, so the words of the page name its timers.
    const hasTitles = typeof version === "string";
    return timers.filter((timer) => (hasTitles ? titles.hasTimerTitle(state, timer) : isNamedTimer(timer)));
}
