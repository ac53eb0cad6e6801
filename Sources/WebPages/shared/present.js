import { describe, hasTitles, titlesOf } from "./flows.js";
import { call, Refusal } from "./rpc.js";

/**
 * One session as it is now. The stream says that something has changed, `status` says what it is
 * like: a change carries neither the timers nor what is accepted. At most one `status` is on its
 * way, and one more follows if something has changed meanwhile; nothing is ever asked on an
 * interval.
 */
const againMs = 1_000;
/** How long a change waits for its status, so that the page shows both at once. */
const togetherMs = 120;

export class Present {
    name = null;
    /** The session; its `timers` are as of `at`, by performance.now(). */
    session = null;
    at = 0;
    /** True while the newest change is known, but not yet what it means for timers and events. */
    isPartial = false;
    isClosed = false;
    /** The refusal that came instead of a session. */
    problem = null;
    #changed;
    #isAsking = false;
    #isDue = false;
    #age = 0;
    #timer = 0;
    #retry = 0;
    #isResting = false;

    /** `changed()` is called whenever there is something else to show. */
    constructor(changed) {
        this.#changed = changed;
    }

    /** Turns to another session, or looks at the same one afresh. */
    follow(name, session = null) {
        this.#begin();
        this.#isResting = false;
        this.name = name;
        this.session = null;
        if (session) this.take(session);
        else this.ask();
    }

    /** There is no connection: whoever comes back says so with `follow`. */
    rest() {
        this.#isResting = true;
        clearTimeout(this.#retry);
    }

    /** A whole session, as `status` has it. */
    take(session) {
        this.session = session;
        this.at = performance.now();
        this.isPartial = false;
        this.isClosed = false;
        this.problem = null;
        this.#show();
    }

    /** A change of this session that is newer than what was known of it. */
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

    /** A beat brings the timers along. */
    beat(beat) {
        if (!this.session || this.isPartial || this.session.state !== beat.to.state) return;
        this.session = { ...this.session, timers: beat.timers };
        this.at = performance.now();
        this.#show();
    }

    /** Asks for the session; answers when it is known. */
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
            // An answer about a session that was closed meanwhile, or an older one, says nothing.
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

    /** What is on its way from now on is about something else. */
    #begin() {
        this.#age += 1;
        this.isClosed = false;
        this.problem = null;
        this.isPartial = false;
        clearTimeout(this.#timer);
    }

    /** What people read instead of the names of the session's flow. */
    get titles() {
        return titlesOf(this.session);
    }

    /** The titles are known before anything is shown: no name is shown in the place of its title. */
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
