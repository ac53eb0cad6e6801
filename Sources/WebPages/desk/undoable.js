/* What an undo takes back, from the records of the log. */

/** Kinds of changes that are no steps: an undo passes over them. */
const kindsOfNotes = ["label", "say"];
/** Kinds of changes that no undo takes back. */
const kindsOfLimits = ["open", "move", "close"];

/**
 * The changes that undos can take back, the newest first. `entries` are those of the `Logbook`. Changes that were undone are
 * left out.
 */
export function undoableChanges(entries) {
    const changes = [];
    // Changes from this number on are undone.
    let firstUndone = Infinity;
    for (const { record } of entries) {
        if (!record.pos || record.seq >= firstUndone || kindsOfNotes.includes(record.kind)) continue;
        if (record.undone) firstUndone = record.undone.from;
        else if (kindsOfLimits.includes(record.kind)) break;
        else changes.push(record);
    }
    return changes;
}

/** What a change was, in words for the operator. `titles` are the `Titles` of the flow. */
export function titleOfChange({ kind, event, timer }, titles) {
    if (event) return titles.event(event.name);
    if (timer) return `${timer.action} ${timer.fires === "*" ? "all timers" : timer.fires}`;
    return kind;
}
