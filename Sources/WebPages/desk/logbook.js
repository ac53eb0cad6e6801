import { NoAnswer, call } from "../shared/rpc.js";

const maximumEntries = 500;
/** The history is read again after this time, so that a burst of refusals causes few requests. */
const rereadMs = 250;
const retryMs = 1_000;

/**
 * The changes and refusals of the shown session, newest first, from its history and from the stream. Both
 * may deliver the same record; it is stored once.
 *
 * A change is recognized by its position. A refusal has no position, so the page cannot know whether a refusal from the
 * stream and an equal one from the history are the same. If equal refusals arrive, or a refusal arrives while the history is
 * read, the page reads the history again. The refusals of the history then replace those that arrived before the request.
 */
export class Logbook {
    /**
     * `{key, sortPos, number, record}`, newest first. `sortPos` is the position of the change, or of the change before
     * a refusal; `number` counts the entries in the order in which they arrived.
     */
    entries = [];
    #keys = new Set();
    #listener = () => {};
    /** The number of the newest entry. */
    #number = 0;
    #name = null;
    #timer = 0;

    onChange(listener) {
        this.#listener = listener;
    }

    clear() {
        this.cancelReading();
        this.#name = null;
        this.entries = [];
        this.#keys.clear();
        this.#listener();
    }

    /** Cancels the planned reading of the history, for example when the connection is lost. */
    cancelReading() {
        clearTimeout(this.#timer);
        this.#timer = 0;
    }

    /** Adds a record that has just arrived from the stream. */
    add(record) {
        const sortPos = record.pos ?? this.entries.find((entry) => entry.record.pos)?.sortPos ?? 0;
        if (record.pos) this.#insert(`change ${record.pos}`, sortPos, record);
        else this.#addRefusal(sortPos, record);
        this.#sortAndLimit();
    }

    /** Adds the server's history of a session. */
    async readHistory(name) {
        this.cancelReading();
        this.#name = name;
        const lastNumber = this.#number;
        try {
            const { records } = await call("history", { session: name, limit: maximumEntries });
            if (this.#name === name) this.#merge(records, lastNumber);
        } catch (error) {
            // A session that is not open has no history; the records of the stream are shown.
            const isTemporary = error instanceof NoAnswer || error.message === "limit";
            if (isTemporary && this.#name === name) this.#readHistoryLater(retryMs);
        }
    }

    #readHistoryLater(ms) {
        if (this.#timer === 0) this.#timer = setTimeout(() => this.readHistory(this.#name), ms);
    }

    #addRefusal(sortPos, record) {
        const keyStem = keyStemOf(record);
        let count = 0;
        while (this.#keys.has(`${keyStem} ${count}`)) count += 1;
        if (count > 0) this.#readHistoryLater(rereadMs);
        this.#insert(`${keyStem} ${count}`, sortPos, record);
    }

    /** Adds the records of a history. `lastNumber` is the number of the newest entry at the time of the request. */
    #merge(records, lastNumber) {
        const isReplaced = ({ record, number }) => !record.pos && number <= lastNumber;
        for (const { key } of this.entries.filter(isReplaced)) this.#keys.delete(key);
        this.entries = this.entries.filter((entry) => !isReplaced(entry));
        // The history may or may not contain the refusals that arrived meanwhile.
        if (this.entries.some(({ record }) => !record.pos)) this.#readHistoryLater(rereadMs);
        let sortPos = 0;
        const seen = new Map();
        for (const record of records.toReversed()) {
            sortPos = record.pos ?? sortPos;
            this.#insert(record.pos ? `change ${record.pos}` : nthKey(record, seen), sortPos, record);
        }
        this.#sortAndLimit();
    }

    #insert(key, sortPos, record) {
        if (this.#keys.has(key)) return;
        this.#number += 1;
        this.#keys.add(key);
        this.entries.unshift({ key, sortPos, number: this.#number, record });
    }

    #sortAndLimit() {
        this.entries.sort(newestFirst);
        for (const entry of this.entries.splice(maximumEntries)) this.#keys.delete(entry.key);
        this.#listener();
    }
}

/** The key of a refusal in a history. Refusals have no position, so the key ends with the number of earlier equal refusals. */
function nthKey(record, seen) {
    const keyStem = keyStemOf(record);
    const count = seen.get(keyStem) ?? 0;
    seen.set(keyStem, count + 1);
    return `${keyStem} ${count}`;
}

function keyStemOf({ atMs, event, source, error }) {
    return JSON.stringify([atMs, event, source, error.code]);
}

/** Compares two entries for sorting. A refusal is above the change that came before it. */
function newestFirst(a, b) {
    if (a.sortPos !== b.sortPos) return b.sortPos - a.sortPos;
    const rank = (entry) => (entry.record.pos ? 0 : 1);
    if (rank(a) !== rank(b)) return rank(b) - rank(a);
    return b.record.atMs - a.record.atMs || b.number - a.number;
}
