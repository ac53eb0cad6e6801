import { Data } from "../shared/data.js";
import { find, h, setText } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { isEntry } from "../shared/presentsession.js";
import { errorSentence } from "../shared/refusal.js";
import { agoText, instantText } from "../shared/time.js";
import { call } from "../shared/rpc.js";
import { PlayAgainDialog } from "./playagaindialog.js";
import { CloseDialog } from "./closedialog.js";
import { Events } from "./events.js";
import { FlowFacts } from "./flowfacts.js";
import { GotoDialog } from "./gotodialog.js";
import { Message } from "./message.js";
import { Notes } from "./notes.js";
import { OpenDialog } from "./opendialog.js";
import { Reopening } from "./reopening.js";
import { Timers } from "./timers.js";

const problemTitles = { unknownSession: "Not open", forbidden: "Not allowed" };

/**
 * The present state of the session: state, data, time of entry, timers and accepted events.
 */
export class Now {
    #element = find("#now");
    #present;
    #logbook;
    /** An object that all parts of the desk share. This part uses the rights, whether the clock is virtual, and whether the connection is lost. */
    #context;
    #clock;
    #title = h("p", { class: "session" });
    #state = h("h2", { id: "state" });
    #numbers = h("p", { class: "numbers" });
    #note = h("p", { class: "state-note" });
    #data = new Data();
    #flowFacts = new FlowFacts();
    #timers;
    #events;
    #orders = h("fieldset", { class: "plain needs-connection orders", "aria-label": "Operator" });
    /** The message on the players' screens, and the form for the next one. */
    #message = new Message();
    #notes = new Notes();
    #goto = new GotoDialog();
    #again = new PlayAgainDialog();
    #againButton;
    #more = h("div", { class: "more" });
    #close = new CloseDialog();
    #reopening = new Reopening(new OpenDialog());
    #timer = 0;

    constructor(present, logbook, context, clock) {
        [this.#present, this.#logbook, this.#context, this.#clock] = [present, logbook, context, clock];
        this.#timers = new Timers(present, context);
        this.#events = new Events(present, context);
        const button = (text, onclick, classes = "quiet") =>
            h("button", { type: "button", class: classes, onclick }, text);
        this.#againButton = button("Start again", () => this.#again.ask(this.#present.session), "primary");
        this.#orders.append(
            this.#againButton,
            this.#timers.pauseAllButton,
            button("Undo", ({ currentTarget }) => this.#undo(currentTarget)),
            button("Go to a state", () => this.#askGoto()),
            button("Close", () => this.#close.ask(this.#present.name), "quiet danger"),
        );
        const header = h("header", {}, h("div", {}, this.#title, this.#state), this.#orders);
        header.append(this.#reopening.element);
        const elements = [header, this.#note, this.#data.element, this.#numbers];
        const facts = h("div", { class: "facts" }, elements);
        this.#element.append(facts, this.#timers.element, this.#events.element);
        this.#more.append(this.#message.element, this.#notes.element, this.#flowFacts.element);
        this.#element.append(this.#more);
    }

    /** Clears the message about the event that was sent last, because another session is shown. */
    clearOutcome() {
        this.#events.clearOutcome();
    }

    beat(fires) {
        this.#timers.beat(fires);
    }

    show() {
        const { session, name, problem, isClosed } = this.#present;
        const isOpen = session !== null && !problem && !isClosed;
        this.#element.dataset.status = problem ? "missing" : isClosed ? "closed" : "open";
        this.#orders.hidden = !isOpen || !this.#context.rights.has("operate", session.session);
        this.#reopening.show(this.#present, this.#context.rights);
        this.#more.hidden = session === null || Boolean(problem);
        if (problem) this.#showProblem(name, problem);
        else if (session) this.#showSession(session, isClosed);
        this.#timers.show();
        this.#events.show();
        this.showNumbers();
    }

    /** Shows the number of the newest change, the age of the state (from the log), and the number of deferred events. */
    showNumbers() {
        const { session, problem, isClosed } = this.#present;
        clearTimeout(this.#timer);
        if (!session || problem) return setText(this.#numbers, "");
        const parts = [`#${session.seq}`];
        const entered = this.#logbook.entries.find(({ record }) => isEntry(record))?.record;
        if (entered && !isClosed) parts.push(this.#ageText(entered.atMs));
        if (session.deferred > 0) parts.push(`${session.deferred} kept for later`);
        setText(this.#numbers, parts.join(" · "));
        const isMoving = entered && !this.#context.isVirtual && !this.#context.isLost;
        if (isMoving) this.#timer = setTimeout(() => this.showNumbers(), this.#refreshMs(entered.atMs));
    }

    /** The time after which the age of the state is shown again. In the first minute, the age is shown in seconds. */
    #refreshMs(atMs) {
        return this.#clock.nowMs - atMs < 60_000 ? 1_000 : 10_000;
    }

    #ageText(atMs) {
        const isVirtual = this.#context.isVirtual;
        const at = isVirtual ? instantText(atMs, true) : instantText(atMs, false).slice(0, 8);
        return `since ${at} (${agoText(this.#clock.nowMs - atMs)} ago)`;
    }

    #showProblem(name, problem) {
        setText(this.#title, name);
        setText(this.#state, problemTitles[problem.message] ?? "Not available");
        this.#data.note(`${errorSentence(problem)}.`);
    }

    #showSession(session, isClosed) {
        const { flow, state, data, final: isFinal } = session;
        const { titles } = this.#present;
        setText(this.#title, `${session.session} · ${titles.flow(flow ?? "")}`);
        setText(this.#state, isClosed ? "Closed" : titles.state(state));
        setText(this.#note, isClosed ? "" : titles.stateNote(state));
        this.#state.classList.toggle("final", Boolean(isFinal));
        if (isClosed) this.#data.note(`Closed, while in "${state}".`);
        else if (session.storage) this.#data.note(`No change is possible now: ${session.storage}`);
        else this.#data.show(data, (name) => titles.datum(state, name));
        this.#flowFacts.show(session, titles);
        const mayOperate = !isClosed && this.#context.rights.has("operate", session.session);
        this.#message.show(session, mayOperate);
        this.#notes.show(session, mayOperate);
        this.#againButton.hidden = !isFinal;
    }

    /** Goes back by one step. The button is disabled until the answer comes, since a second press would undo another step. */
    async #undo(button) {
        button.disabled = true;
        try {
            const { name, session } = this.#present;
            await call("undo", { session: name, entry: session.entry });
            this.#events.showOutcome("done", "");
        } catch (error) {
            this.#events.showOutcome("refused", `${errorSentence(error)}.`);
        } finally {
            button.disabled = false;
        }
    }

    async #askGoto() {
        const { session } = this.#present;
        try {
            const { states } = await describe(session);
            this.#goto.ask(session, states);
        } catch (error) {
            this.#events.showOutcome("refused", `${errorSentence(error)}.`);
        }
    }
}
