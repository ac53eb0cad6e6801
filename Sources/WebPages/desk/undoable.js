/* What an undo takes back, from the records of the log. */

/** Kinds of changes that are no steps: an undo passes over them. */
const kindsOfNotes = ["label", "say"];
/** Kinds of changes that no undo takes back. */
const kindsOfLimits = ["open", "move", "close"];

/** The changes that were not undone, the newest first, without the undos. `entries` are those of the `Logbook`. */
export function* remainingChanges(entries) {
    // Changes from this number on are undone.
    let firstUndone = Infinity;
    for (const { record } of entries) {
        if (!record.pos || record.seq >= firstUndone) continue;
        if (record.undone) firstUndone = record.undone.from;
        else yield record;
        // An earlier game of this session has numbers of its own.
        if (record.kind === "open") firstUndone = Infinity;
    }
}

/** The changes that undos can take back, the newest first. `entries` are those of the `Logbook`. */
export function undoableChanges(entries) {
    const changes = [];
    for (const change of remainingChanges(entries)) {
        if (kindsOfLimits.includes(change.kind)) break;
        if (!kindsOfNotes.includes(change.kind)) changes.push(change);
    }
    return changes;
}

/** What a change was, in words for the operator. `titles` are the `Titles` of the flow. */
export function titleOfChange({ kind, event, timer }, titles) {
    if (event) return titles.event(event.name);
    if (timer) return `${timer.action} ${timer.fires === "*" ? "all timers" : timer.fires}`;
    return kind;
}
