import { call } from "../shared/rpc.js";

/**
 * The changes and refusals of the shown session, newest first, from its history and from the stream. Both
 * may deliver the same record; it is stored once.
 */
const maximumEntries = 500;

export class Logbook {
    /** `{key, order, number, record}`, newest first. */
    entries = [];
    #keys = new Set();
    #listener = () => {};
    #number = 0;
    #name = null;

    onChange(listener) {
        this.#listener = listener;
    }

    clear() {
        this.#name = null;
        this.entries = [];
        this.#keys.clear();
        this.#listener();
    }

    /** Adds a record that has just arrived. */
    add(record) {
        const order = record.pos ?? this.entries.find((entry) => entry.record.pos)?.order ?? 0;
        const key = record.pos ? `change ${record.pos}` : this.#freeKey(record);
        if (this.#put(key, order, record)) this.#sortAndLimit();
    }

    /** Adds the server's history of a session. */
    async fill(name) {
        this.#name = name;
        try {
            const { records } = await call("history", { session: name, limit: maximumEntries });
            if (this.#name === name) this.#merge(records);
        } catch {
            // A session that is not open has no history; the records of the stream are shown.
        }
    }

    #merge(records) {
        let order = 0;
        const seen = new Map();
        for (const record of records.toReversed()) {
            order = record.pos ?? order;
            this.#put(record.pos ? `change ${record.pos}` : nthKey(record, seen), order, record);
        }
        this.#sortAndLimit();
    }

    #put(key, order, record) {
        if (this.#keys.has(key)) return false;
        this.#number += 1;
        this.#keys.add(key);
        this.entries.unshift({ key, order, number: this.#number, record });
        return true;
    }

    #sortAndLimit() {
        this.entries.sort(newestFirst);
        for (const entry of this.entries.splice(maximumEntries)) this.#keys.delete(entry.key);
        this.#listener();
    }

    /** The stream delivers each refusal once, so equal refusals are different ones. */
    #freeKey(record) {
        const keyStem = keyStemOf(record);
        let count = 0;
        while (this.#keys.has(`${keyStem} ${count}`)) count += 1;
        return `${keyStem} ${count}`;
    }
}

/** Refusals have no number of their own: equal ones are counted. */
function nthKey(record, seen) {
    const keyStem = keyStemOf(record);
    const count = seen.get(keyStem) ?? 0;
    seen.set(keyStem, count + 1);
    return `${keyStem} ${count}`;
}

function keyStemOf({ atMs, event, source, error }) {
    return JSON.stringify([atMs, event, source, error.code]);
}

/** A refusal is placed after the change that it followed. */
function newestFirst(a, b) {
    if (a.order !== b.order) return b.order - a.order;
    const rank = (entry) => (entry.record.pos ? 0 : 1);
    if (rank(a) !== rank(b)) return rank(b) - rank(a);
    return b.record.atMs - a.record.atMs || b.number - a.number;
}
