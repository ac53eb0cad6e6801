import { call } from "../shared/rpc.js";

/**
 * The changes and refusals of the shown session, newest first, from its history and from the stream. Both
 * may deliver the same record; each is kept once.
 */
const most = 500;

export class Logbook {
    /** `{key, order, number, record}`, newest first. */
    entries = [];
    #keys = new Set();
    #tell = () => {};
    #number = 0;
    #name = null;

    onChange(tell) {
        this.#tell = tell;
    }

    clear() {
        this.#name = null;
        this.entries = [];
        this.#keys.clear();
        this.#tell();
    }

    /** Adds a record that has just arrived. */
    add(record) {
        const order = record.pos ?? this.entries.find((each) => each.record.pos)?.order ?? 0;
        const key = record.pos ? `change ${record.pos}` : this.#freeKey(record);
        if (this.#put(key, order, record)) this.#settle();
    }

    /** Adds the server's history of a session. */
    async fill(name) {
        this.#name = name;
        try {
            const { records } = await call("history", { session: name, limit: most });
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
        this.#settle();
    }

    #put(key, order, record) {
        if (this.#keys.has(key)) return false;
        this.#number += 1;
        this.#keys.add(key);
        this.entries.unshift({ key, order, number: this.#number, record });
        return true;
    }

    #settle() {
        this.entries.sort(newestFirst);
        for (const entry of this.entries.splice(most)) this.#keys.delete(entry.key);
        this.#tell();
    }

    /** The stream delivers each refusal once, so equal refusals are different ones. */
    #freeKey(record) {
        const stem = stemOf(record);
        let count = 0;
        while (this.#keys.has(`${stem} ${count}`)) count += 1;
        return `${stem} ${count}`;
    }
}

/** Refusals have no number of their own: equal ones are counted. */
function nthKey(record, seen) {
    const stem = stemOf(record);
    const count = seen.get(stem) ?? 0;
    seen.set(stem, count + 1);
    return `${stem} ${count}`;
}

function stemOf({ atMs, event, source, error }) {
    return JSON.stringify([atMs, event, source, error.code]);
}

/** A refusal is placed after the change that it followed. */
function newestFirst(one, other) {
    if (one.order !== other.order) return other.order - one.order;
    const rank = (entry) => (entry.record.pos ? 0 : 1);
    if (rank(one) !== rank(other)) return rank(other) - rank(one);
    return other.record.atMs - one.record.atMs || other.number - one.number;
}
