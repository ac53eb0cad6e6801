import { NoAnswer, call } from "../shared/rpc.js";

/** Older entries are removed. */
const maximumEntries = 500;
/** The delay before the history is read again because of refusals. One request then serves a burst of refusals. */
const rereadMs = 250;
/** The delay before the history is requested again, if no answer came or the server refused the request with `limit`. */
const retryMs = 1_000;

/**
 * The changes and refusals of the shown session, newest first. Changes and refusals are called records. They come from the
 * session's history and from the event stream. A record that comes from both is stored once.
 *
 * A change is recognized by its position. A refusal has no position. If the stream and the history contain equal refusals, the
 * page cannot know whether this is one refusal or two. If equal refusals arrive, or a refusal arrives while the history is
 * read, the page reads the history again. The refusals of the history then replace the refusals that arrived before the
 * request.
 */
export class Logbook {
    /**
     * `{key, sortPos, number, record}`, newest first. `sortPos` is the position of the change, or of the change before
     * a refusal; `number` counts the entries in the order in which they arrived.
     */
    entries = [];
    /** The keys of the entries. */
    #keys = new Set();
    #listener = () => {};
    /** The number of the newest entry. */
    #newestNumber = 0;
    #sessionName = null;
    #rereadTimer = 0;

    /** From now on, `listener()` is called when the entries have changed. */
    onChange(listener) {
        this.#listener = listener;
    }

    /** Removes all entries, because another session or another daemon is shown. */
    clear() {
        this.cancelReading();
        this.#sessionName = null;
        this.entries = [];
        this.#keys.clear();
        this.#listener();
    }

    /** Cancels the planned reading of the history, for example when the connection is lost. */
    cancelReading() {
        clearTimeout(this.#rereadTimer);
        this.#rereadTimer = 0;
    }

    /** Adds a record that has just arrived from the stream. */
    add(record) {
        // A refusal has no position. It gets the `sortPos` of the newest change, and `newestFirst` places it above this change.
        const sortPos = record.pos ?? this.entries.find((entry) => entry.record.pos)?.sortPos ?? 0;
        if (record.pos) this.#insert(`change ${record.pos}`, sortPos, record);
        else this.#addRefusal(sortPos, record);
        this.#sortAndLimit();
    }

    /** Requests the history of a session, and adds its records. `name` is the session's name. */
    async readHistory(name) {
        this.cancelReading();
        this.#sessionName = name;
        const newestNumber = this.#newestNumber;
        try {
            const { records } = await call("history", { session: name, limit: maximumEntries });
            if (this.#sessionName === name) this.#merge(records, newestNumber);
        } catch (error) {
            // If the session is not open, there is no history, and only the records of the stream are shown.
            const isTemporary = error instanceof NoAnswer || error.message === "limit";
            if (isTemporary && this.#sessionName === name) this.#readHistoryLater(retryMs);
        }
    }

    #readHistoryLater(ms) {
        if (this.#rereadTimer === 0) this.#rereadTimer = setTimeout(() => this.readHistory(this.#sessionName), ms);
    }

    /** Adds a refusal from the stream. The key of a refusal ends with the number of equal refusals before it. */
    #addRefusal(sortPos, record) {
        const keyStem = keyStemOf(record);
        let count = 0;
        while (this.#keys.has(`${keyStem} ${count}`)) count += 1;
        if (count > 0) this.#readHistoryLater(rereadMs);
        this.#insert(`${keyStem} ${count}`, sortPos, record);
    }

    /** Adds the records of a history. `newestNumber` is the number of the newest entry at the time of the request. */
    #merge(records, newestNumber) {
        const isReplaced = ({ record, number }) => !record.pos && number <= newestNumber;
        for (const { key } of this.entries.filter(isReplaced)) this.#keys.delete(key);
        this.entries = this.entries.filter((entry) => !isReplaced(entry));
        // The remaining refusals arrived after the request. The history may or may not contain them.
        if (this.entries.some(({ record }) => !record.pos)) this.#readHistoryLater(rereadMs);
        let sortPos = 0;
        const countsByStem = new Map();
        for (const record of records.toReversed()) {
            sortPos = record.pos ?? sortPos;
            this.#insert(record.pos ? `change ${record.pos}` : historyKey(record, countsByStem), sortPos, record);
        }
        this.#sortAndLimit();
    }

    #insert(key, sortPos, record) {
        if (this.#keys.has(key)) return;
        this.#newestNumber += 1;
        this.#keys.add(key);
        this.entries.unshift({ key, sortPos, number: this.#newestNumber, record });
    }

    #sortAndLimit() {
        this.entries.sort(newestFirst);
        for (const entry of this.entries.splice(maximumEntries)) this.#keys.delete(entry.key);
        this.#listener();
    }
}

/**
 * The key of a refusal in a history; its form is explained at `#addRefusal`. `countsByStem` counts the refusals so far, by the
 * stems of their keys.
 */
function historyKey(record, countsByStem) {
    const keyStem = keyStemOf(record);
    const count = countsByStem.get(keyStem) ?? 0;
    countsByStem.set(keyStem, count + 1);
    return `${keyStem} ${count}`;
}

/** The key of a refusal without its number. */
function keyStemOf({ atMs, event, source, error }) {
    return JSON.stringify([atMs, event, source, error.code]);
}

/** Compares two entries, newest first. A refusal is above the change that came before it, and has the same `sortPos`. */
function newestFirst(a, b) {
    if (a.sortPos !== b.sortPos) return b.sortPos - a.sortPos;
    const rank = (entry) => (entry.record.pos ? 0 : 1);
    if (rank(a) !== rank(b)) return rank(b) - rank(a);
    return b.record.atMs - a.record.atMs || b.number - a.number;
}
