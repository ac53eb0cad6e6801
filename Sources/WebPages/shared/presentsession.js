import { describe, hasTitles, titlesOf } from "./flows.js";
import { call, Refusal } from "./rpc.js";

/*
 * The present state of one session. The event stream reports a change; `status` returns the whole
 * session, because a change contains neither timers nor accepted events. At most one `status` is
 * under way; if the session changes meanwhile, one more follows. The page does not poll.
 */

const kindsOfEntries = ["open", "enter", "goto", "undo"];

/** Whether a change of this kind enters a state. */
export function isEntry({ kind }) {
    return kindsOfEntries.includes(kind);
}

const retryMs = 1_000;
/** How long the page waits for the status after a change, so that it shows both at once. */
const statusWaitMs = 120;

export class PresentSession {
    name = null;
    /** The session, as `status` returns it. */
    session = null;
    /** The value of performance.now() at which the session's timers were received. */
    receivedAt = 0;
    /** Whether a change has arrived whose timers and accepted events are not known yet. */
    isPartial = false;
    isClosed = false;
    /** The refusal of the newest `status`; null if it was not refused. */
    problem = null;
    #onChange;
    #isAsking = false;
    /** Whether another `status` must follow the one that is under way. */
    #isDue = false;
    /** Counts the calls of `#ignoreAnswers`, so that answers to earlier requests are ignored. */
    #generation = 0;
    #showTimer = 0;
    #retryTimer = 0;
    #isStopped = false;

    /** Calls `onChange()` whenever the page must show the session again. */
    constructor(onChange) {
        this.#onChange = onChange;
    }

    /** Follows another session, or reads the same one again. */
    follow(name, session = null) {
        this.#ignoreAnswers();
        this.#isStopped = false;
        this.name = name;
        this.session = null;
        if (session) this.take(session);
        else this.ask();
    }

    /** Called when the connection is lost. When it is back, the caller calls `follow`. */
    stop() {
        this.#isStopped = true;
        clearTimeout(this.#retryTimer);
    }

    /** Takes a whole session, as `status` returns it. */
    take(session) {
        this.session = session;
        this.receivedAt = performance.now();
        this.isPartial = false;
        this.isClosed = false;
        this.problem = null;
        this.#show();
    }

    /** Takes a change of this session if it is newer than the shown state. */
    change(change) {
        if (change.kind === "close") return this.#close();
        if (change.kind === "open") this.#ignoreAnswers();
        else if (this.session && change.seq <= this.session.seq) return;
        const { state, data } = change.to;
        const timers = isEntry(change) ? [] : (this.session?.timers ?? []);
        const flow = this.session?.flow ?? null;
        this.session = { accepts: [], ...this.session, flow, state, data, timers, seq: change.seq };
        this.isPartial = true;
        clearTimeout(this.#showTimer);
        this.#showTimer = setTimeout(() => this.#show(), statusWaitMs);
        this.ask();
    }

    /** Takes a beat, which contains the timers. */
    beat(beat) {
        if (!this.session || this.isPartial || this.session.state !== beat.to.state) return;
        this.session = { ...this.session, timers: beat.timers };
        this.receivedAt = performance.now();
        this.#show();
    }

    /** Requests the session with `status`. If a request is under way, one more follows it. */
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
        const generation = this.#generation;
        try {
            const session = await call("status", { session: this.name });
            // Ignore an answer about a session that was closed meanwhile, and an answer that is older than the shown session.
            if (generation === this.#generation && !(this.session?.seq > session.seq)) this.take(session);
        } catch (problem) {
            if (generation === this.#generation) this.#fail(problem);
        }
    }

    #fail(problem) {
        if (problem instanceof Refusal && problem.status !== 429) {
            this.problem = problem;
            this.#show();
        } else if (!this.#isStopped) {
            clearTimeout(this.#retryTimer);
            this.#retryTimer = setTimeout(() => this.ask(), retryMs);
        }
    }

    #close() {
        this.#ignoreAnswers();
        this.isClosed = true;
        if (this.session) this.session = { ...this.session, timers: [], accepts: [] };
        this.#show();
    }

    /** Ignores the answers to all requests that are under way, and clears the state that they would have set. */
    #ignoreAnswers() {
        this.#generation += 1;
        this.isClosed = false;
        this.problem = null;
        this.isPartial = false;
        clearTimeout(this.#showTimer);
    }

    /** The titles of the session's flow. */
    get titles() {
        return titlesOf(this.session);
    }

    /** Waits for the titles before anything is shown, so that no name appears in place of its title. */
    #show() {
        clearTimeout(this.#showTimer);
        const { session } = this;
        if (!session?.flow || session.version === undefined || hasTitles(session)) {
            return this.#onChange();
        }
        const show = () => {
            if (this.session === session) this.#onChange();
        };
        describe(session).then(show, show);
    }
}
