import { pageHeader } from "./credential.js";
import { EventReader } from "./sse.js";
import { at } from "./dom.js";

/*
 * The server's events, over one connection. When the connection is lost, the page connects again. Each connection begins with
 * the event `snapshot`: the page's rights and the present state of the sessions.
 *
 * EventSource gives up on an HTTP error, hides the status, and does not pass on the comments that show that a connection works.
 */

/** The longest time until the response begins. */
const maximumAnswerMs = 10_000;
/** The longest time without bytes in the response. */
const maximumSilenceMs = 35_000;
/** The pause after a loss of the connection. It doubles with each further loss until a snapshot comes. */
const minimumPauseMs = 500;
const maximumPauseMs = 5_000;

export class Stream {
    #handlers;
    #query;
    /** The id of the newest event, after which the next connection continues. */
    #lastId = "";
    /** Counts starts and stops, so that events of an earlier connection are ignored. */
    #generation = 0;
    #pauseMs = minimumPauseMs;
    /** A function that ends the present connection; null without a connection. */
    #abort = null;
    /** A function that ends the present pause; null outside of a pause. */
    #endPause = null;

    /**
     * Handlers: `event(type, data)`; `lost({status, error})` when the connection is lost; `denied({status, error})` for 401 and
     * 403, after which the stream has stopped.
     */
    constructor(query, handlers) {
        this.#query = query;
        this.#handlers = handlers;
        addEventListener("online", () => this.#endPause?.());
        document.addEventListener("visibilitychange", () => {
            if (!document.hidden) this.#endPause?.();
        });
    }

    /** Starts again, without requesting missed events. */
    start() {
        this.stop();
        this.#lastId = "";
        this.#pauseMs = minimumPauseMs;
        this.#run(this.#generation);
    }

    stop() {
        this.#generation += 1;
        this.#abort?.();
        this.#endPause?.();
    }

    /** Continues with another query and misses no event. */
    setQuery(query) {
        this.#query = query;
        this.reconnect();
    }

    /** Connects again and misses no event. */
    reconnect() {
        this.#abort?.();
    }

    async #run(generation) {
        while (generation === this.#generation) {
            const end = await this.#readConnection(generation);
            if (generation !== this.#generation) return;
            if (end.status === 401 || end.status === 403) return this.#handlers.denied(end);
            if (end.isRequested) continue;
            this.#handlers.lost(end);
            await this.#pause(this.#pauseMs);
            this.#pauseMs = Math.min(this.#pauseMs * 2, maximumPauseMs);
        }
    }

    /**
     * Makes a connection and reads it to its end. Returns the `status` of the response (0 if none came, or reading it failed), the
     * server's `error` or null, and with status 0 `isRequested`: whether the page itself ended the connection.
     */
    async #readConnection(generation) {
        const controller = new AbortController();
        const watchdog = new Watchdog(() => controller.abort());
        let isRequested = false;
        const abort = () => {
            isRequested = true;
            controller.abort();
        };
        this.#abort = abort;
        try {
            watchdog.restart(maximumAnswerMs);
            const response = await this.#open(controller.signal);
            if (!response.ok) return { status: response.status, error: await errorOf(response) };
            await this.#read(response.body, generation, () => watchdog.restart(maximumSilenceMs));
            return { status: 200, error: null };
        } catch (problem) {
            return { status: 0, error: null, isRequested };
        } finally {
            watchdog.stop();
            controller.abort();
            // Another connection may have begun meanwhile; it has its own controller.
            if (this.#abort === abort) this.#abort = null;
        }
    }

    #open(signal) {
        const headers = { Accept: "text/event-stream", ...pageHeader };
        if (this.#lastId !== "") headers["Last-Event-ID"] = this.#lastId;
        const address = at(`v1/events?${new URLSearchParams(this.#query)}`);
        return fetch(address, { headers, signal, cache: "no-store" });
    }

    async #read(body, generation, onBytes) {
        const reader = new EventReader((type, text) => {
            if (generation !== this.#generation) return;
            // The id is stored before the handler runs. If the handler fails, and the connection is lost later, the handler does
            // not get this event again.
            this.#lastId = reader.lastId || this.#lastId;
            if (type === "snapshot") this.#pauseMs = minimumPauseMs;
            this.#deliver(type, text);
        });
        onBytes();
        for await (const bytes of chunks(body)) {
            onBytes();
            reader.push(bytes);
        }
    }

    /** An error in the handler does not end the connection, because a new connection would not help. */
    #deliver(type, text) {
        try {
            this.#handlers.event(type, JSON.parse(text));
        } catch (problem) {
            console.error(problem);
        }
    }

    #pause(ms) {
        let endPause;
        return new Promise((resolve) => {
            const timer = setTimeout(resolve, ms);
            endPause = () => {
                clearTimeout(timer);
                resolve();
            };
            this.#endPause = endPause;
        }).finally(() => {
            if (this.#endPause === endPause) this.#endPause = null;
        });
    }
}

async function* chunks(body) {
    const reader = body.getReader();
    for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        yield value;
    }
}

async function errorOf(response) {
    const body = await response.json().catch(() => null);
    return body?.error ?? null;
}

/** Calls `onSilence()` when `ms` milliseconds have passed since the last `restart(ms)`, unless it is stopped. */
class Watchdog {
    #onSilence;
    #timer = 0;

    constructor(onSilence) {
        this.#onSilence = onSilence;
    }

    restart(ms) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#onSilence, ms);
    }

    stop() {
        clearTimeout(this.#timer);
    }
}
