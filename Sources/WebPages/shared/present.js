import { describe, hasTitles, titlesOf } from "./flows.js";
import { call, Refusal } from "./rpc.js";

/**
 * The present state of one session. The event stream reports a change; `status` returns the whole
 * session, because a change contains neither timers nor accepted events. At most one `status` is
 * under way; if the session changes meanwhile, one more follows. Nothing is polled on an
 * interval.
 */
const againMs = 1_000;
/** How long the display of a change waits for its status, so that the page shows both at once. */
const togetherMs = 120;

export class Present {
    name = null;
    /** The session; its `timers` are as of `at`, a time of performance.now(). */
    session = null;
    at = 0;
    /** Whether a change has arrived whose timers and accepted events are not known yet. */
    isPartial = false;
    isClosed = false;
    /** The error of the last `status`, if it was refused. */
    problem = null;
    #changed;
    #isAsking = false;
    #isDue = false;
    #age = 0;
    #timer = 0;
    #retry = 0;
    #isResting = false;

    /** Calls `changed()` whenever something else must be shown. */
    constructor(changed) {
        this.#changed = changed;
    }

    /** Follows another session, or reads the same one again. */
    follow(name, session = null) {
        this.#begin();
        this.#isResting = false;
        this.name = name;
        this.session = null;
        if (session) this.take(session);
        else this.ask();
    }

    /** The connection is lost. After it is back, the caller calls `follow`. */
    rest() {
        this.#isResting = true;
        clearTimeout(this.#retry);
    }

    /** Takes a whole session, as `status` returns it. */
    take(session) {
        this.session = session;
        this.at = performance.now();
        this.isPartial = false;
        this.isClosed = false;
        this.problem = null;
        this.#show();
    }

    /** Takes a change of this session if it is newer than the last known one. */
    change(change) {
        if (change.kind === "close") return this.#close();
        if (change.kind === "open") this.#begin();
        else if (this.session && change.seq <= this.session.seq) return;
        const { state, data } = change.to;
        const isSameState = this.session?.state === state && change.kind !== "enter" && change.kind !== "undo";
        const timers = isSameState ? this.session.timers : [];
        const flow = this.session?.flow ?? null;
        this.session = { accepts: [], ...this.session, flow, state, data, timers, seq: change.seq };
        this.isPartial = true;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#show(), togetherMs);
        this.ask();
    }

    /** Takes a beat, which contains the timers. */
    beat(beat) {
        if (!this.session || this.isPartial || this.session.state !== beat.to.state) return;
        this.session = { ...this.session, timers: beat.timers };
        this.at = performance.now();
        this.#show();
    }

    /** Requests the session; the promise is resolved when it is known. */
    async ask() {
        if (this.#isAsking) {
            this.#isDue = true;
            return;
        }
        this.#isAsking = true;
        do {
            this.#isDue = false;
            await this.#askOnce();
        } while (this.#isDue);
        this.#isAsking = false;
    }

    async #askOnce() {
        const age = this.#age;
        try {
            const session = await call("status", { session: this.name });
            // Ignore an answer about a session that was closed meanwhile, and an older one.
            if (age === this.#age && !(this.session?.seq > session.seq)) this.take(session);
        } catch (problem) {
            if (age === this.#age) this.#fail(problem);
        }
    }

    #fail(problem) {
        if (problem instanceof Refusal && problem.status !== 429) {
            this.problem = problem;
            this.#show();
        } else if (!this.#isResting) {
            clearTimeout(this.#retry);
            this.#retry = setTimeout(() => this.ask(), againMs);
        }
    }

    #close() {
        this.#begin();
        this.isClosed = true;
        if (this.session) this.session = { ...this.session, timers: [], accepts: [] };
        this.#show();
    }

    /** Ignores the answers to all requests that are under way. */
    #begin() {
        this.#age += 1;
        this.isClosed = false;
        this.problem = null;
        this.isPartial = false;
        clearTimeout(this.#timer);
    }

    /** The titles of the session's flow. */
    get titles() {
        return titlesOf(this.session);
    }

    /** Waits for the titles before anything is shown, so that no name appears in place of its title. */
    #show() {
        clearTimeout(this.#timer);
        const { session } = this;
        if (!session?.flow || session.version === undefined || hasTitles(session)) {
            return this.#changed();
        }
        const show = () => {
            if (this.session === session) this.#changed();
        };
        describe(session).then(show, show);
    }
}
