import { describe, hasTitles, titlesOf } from "./flows.js";
import { call, Refusal } from "./rpc.js";

/*
 * The present state of one session. The event stream reports changes, but a change contains neither timers nor accepted events.
 * So after each change the page requests `status`, which returns the whole session.
 */

const kindsOfEntries = ["open", "enter", "goto", "undo"];

/** Whether a change of this kind enters a state. */
export function isEntry({ kind }) {
    return kindsOfEntries.includes(kind);
}

const retryMs = 1_000;
/** After a change, the page waits this long for `status`, so that it can show the change and the timers together. */
const statusWaitMs = 120;

export class PresentSession {
    name = null;
    /** The session, as `status` returns it. */
    session = null;
    /** The value of performance.now() at which the session's timers were received. */
    receivedAt = 0;
    /** Whether the timers and accepted events after a change are not known yet. */
    isPartial = false;
    isClosed = false;
    /** The `Refusal` of the newest `status`; null if there was none. */
    problem = null;
    #onChange;
    #isRequesting = false;
    /** Whether another request of `status` must follow the request that is under way. */
    #isDue = false;
    /** Counts the calls of `#ignoreAnswers`. */
    #generation = 0;
    #showTimer = 0;
    #retryTimer = 0;
    #isStopped = false;

    /** Calls `onChange()` when the page must show the session again. */
    constructor(onChange) {
        this.#onChange = onChange;
    }

    /** Follows a session. `session` is its state, as `status` returns it; if it is null, the page requests `status`. */
    follow(name, session = null) {
        this.#ignoreAnswers();
        this.#isStopped = false;
        this.name = name;
        this.session = null;
        if (session) this.setSession(session);
        else this.requestStatus();
    }

    /** The connection is lost. When it is back, the caller calls `follow`. */
    stop() {
        this.#isStopped = true;
        clearTimeout(this.#retryTimer);
    }

    /** `session` is a whole session, as `status` returns it. */
    setSession(session) {
        this.session = session;
        this.receivedAt = performance.now();
        this.isPartial = false;
        this.isClosed = false;
        this.problem = null;
        this.#show();
    }

    /** `change` is a notification of this session; nothing happens if the shown state is newer. */
    applyChange(change) {
        if (change.kind === "close") return this.#close();
        // `seq` begins again when a session is opened.
        if (change.kind === "open") this.#ignoreAnswers();
        else if (this.session && change.seq <= this.session.seq) return;
        const { seq, entry } = change;
        const { state, data } = change.to;
        const timers = isEntry(change) ? [] : (this.session?.timers ?? []);
        const flow = this.session?.flow ?? null;
        this.session = { accepts: [], ...this.session, flow, state, data, timers, seq, entry };
        if (change.message !== undefined) this.session.say = change.message ?? undefined;
        if (change.show) this.session.show = change.show;
        this.isPartial = true;
        clearTimeout(this.#showTimer);
        this.#showTimer = setTimeout(() => this.#show(), statusWaitMs);
        this.requestStatus();
    }

    /** `beat` is a notification with the timers. */
    applyBeat(beat) {
        if (!this.session || this.isPartial || this.session.state !== beat.to.state) return;
        this.session = { ...this.session, timers: beat.timers };
        this.receivedAt = performance.now();
        this.#show();
    }

    /** At most one request is under way. If there is one already, one more follows it. */
    async requestStatus() {
        if (this.#isRequesting) {
            this.#isDue = true;
            return;
        }
        this.#isRequesting = true;
        do {
            this.#isDue = false;
            await this.#requestOnce();
        } while (this.#isDue);
        this.#isRequesting = false;
    }

    async #requestOnce() {
        const generation = this.#generation;
        try {
            const session = await call("status", { session: this.name });
            // Ignore an answer about an earlier session, and one that is older than the shown state.
            if (generation === this.#generation && !(this.session?.seq > session.seq)) this.setSession(session);
        } catch (problem) {
            if (generation === this.#generation) this.#fail(problem);
        }
    }

    /** Shows a refusal. If no answer came, or if the rate limit was exceeded (429), requests `status` again later. */
    #fail(problem) {
        if (problem instanceof Refusal && problem.status !== 429) {
            this.problem = problem;
            this.#show();
        } else if (!this.#isStopped) {
            clearTimeout(this.#retryTimer);
            this.#retryTimer = setTimeout(() => this.requestStatus(), retryMs);
        }
    }

    #close() {
        this.#ignoreAnswers();
        this.isClosed = true;
        if (this.session) this.session = { ...this.session, timers: [], accepts: [] };
        this.#show();
    }

    /** Ignores the answers to all requests that are under way. */
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

    /** Shows the session when its titles are known, so that no name appears in place of a title. */
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
