import { DataList } from "../shared/data.js";
import { find, h, setText } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { lazily } from "../shared/lazily.js";
import { isEntry } from "../shared/presentsession.js";
import { closedSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";
import { agoText, instantText } from "./instants.js";
import { PlayAgainDialog } from "./playagaindialog.js";
import { CloseDialog } from "./closedialog.js";
import { Events } from "./events.js";
import { FlowFacts } from "./flowfacts.js";
import { GotoDialog } from "./gotodialog.js";
import { Message } from "./message.js";
import { Notes } from "./notes.js";
import { OpenDialog } from "./opendialog.js";
import { ReopenButton } from "./reopenbutton.js";
import { teamText } from "./teamtext.js";
import { Timers } from "./timers.js";
import { titleOfChange, undoableChanges } from "./undoable.js";

const problemTitles = { unknownSession: "Not open", forbidden: "Not allowed" };

/**
 * The part of the desk that shows the present state of the shown session: the data, the time of the entry, the timers and the
 * accepted events. It also has the operator's commands: play the session again, pause all timers, undo, go to a state, close
 * the session, and open a closed session again.
 */
export class PresentState {
    #element = find("#present-state");
    /** The `PresentSession`: the shown session, as the daemon has reported it. */
    #presentSession;
    /** The `Logbook`, which knows when the present state was entered. */
    #logbook;
    /**
     * An object that all parts of the desk share. This part uses the rights, whether the clock is virtual, and whether the
     * connection is lost.
     */
    #context;
    /** The `DeskClock`, which knows the daemon's time. */
    #clock;
    /** The name of the session, its labels `title` and `team`, and its flow. */
    #title = h("p", { class: "session" });
    #state = h("h2", { id: "state" });
    /** See `showNumbers`. */
    #numbers = h("p", { class: "numbers" });
    #stateNote = h("p", { class: "state-note" });
    #data = new DataList();
    #flowFacts = new FlowFacts();
    #timers;
    #events;
    #commands = h("fieldset", { class: "plain needs-connection operator-commands", "aria-label": "Operator" });
    /** The message on the players' screens, and the form that changes it. */
    #message = new Message();
    /** The operators' notes on the session. Players do not see them. */
    #notes = new Notes();
    #gotoDialog = new GotoDialog();
    #playAgainDialog = new PlayAgainDialog();
    #playAgainButton;
    #moreElement = h("div", { class: "more" });
    #closeDialog = new CloseDialog();
    /** What the next undo takes back. */
    #undoNote = h("p", { class: "undo-note" });
    #undoButton;
    /** Loads the list of presses when a flow with a buzzer is shown. */
    #loadPressOrder = lazily(async () => {
        const { PressOrder } = await import("./pressorder.js");
        const pressOrder = new PressOrder();
        find(".presses", this.#events.element).after(pressOrder.element);
        return pressOrder;
    });
    /** Loads the list of hints when a flow with hints is shown. */
    #loadGivenHints = lazily(async () => {
        const { GivenHints } = await import("./givenhints.js");
        const givenHints = new GivenHints();
        this.#events.element.append(givenHints.element);
        return givenHints;
    });
    #reopenButton = new ReopenButton(new OpenDialog());
    #refreshTimer = 0;

    constructor(presentSession, logbook, context, clock) {
        [this.#presentSession, this.#logbook] = [presentSession, logbook];
        [this.#context, this.#clock] = [context, clock];
        this.#timers = new Timers(presentSession, context);
        this.#events = new Events(presentSession, context);
        const button = (text, onclick, classes = "quiet") =>
            h("button", { type: "button", class: classes, onclick }, text);
        this.#playAgainButton = button("Start again", () => this.#playAgainDialog.ask(this.#presentSession.session));
        this.#undoButton = button("Undo", () => this.#undo({}));
        this.#commands.append(
            this.#timers.pauseAllButton,
            this.#undoButton,
            button("Go to a state", () => this.#openGotoDialog()),
            this.#playAgainButton,
            button("Close", () => this.#closeDialog.ask(this.#presentSession.name), "quiet danger"),
        );
        const header = h("header", {}, h("div", {}, this.#title, this.#state), this.#commands);
        header.append(this.#reopenButton.element);
        const elements = [header, this.#undoNote, this.#stateNote, this.#data.element, this.#numbers];
        const facts = h("div", { class: "facts" }, elements);
        this.#element.append(facts, this.#timers.element, this.#events.element);
        this.#moreElement.append(this.#message.element, this.#notes.element, this.#flowFacts.element);
        this.#element.append(this.#moreElement);
    }

    /** Clears the result of the newest press, because another session is shown. */
    clearOutcome() {
        this.#events.clearOutcome();
    }

    /** Shows a beat of the pendulum that sends the signal `fires`. */
    beat(fires) {
        this.#timers.beat(fires);
    }

    /** Shows everything again. Called when the shown session has changed, or the connection is lost. */
    show() {
        const { session, name, problem, isClosed } = this.#presentSession;
        const isOpen = session !== null && !problem && !isClosed;
        this.#element.dataset.status = problem ? "missing" : isClosed ? "closed" : "open";
        this.#commands.hidden = !isOpen || !this.#context.rights.has("operate", session.session);
        this.#reopenButton.show(this.#presentSession, this.#context.rights);
        this.#moreElement.hidden = session === null || Boolean(problem);
        if (problem) this.#showProblem(name, problem);
        else if (session) this.#showSession(session, isClosed);
        this.#timers.show();
        this.#events.show();
        this.showLogFacts();
        this.showPresses();
    }

    /** Shows what depends on the log: the numbers, and what the next undo takes back. */
    showLogFacts() {
        this.showNumbers();
        const [change] = this.#commands.hidden ? [] : undoableChanges(this.#logbook.entries);
        const { titles } = this.#presentSession;
        setText(this.#undoNote, change ? `Undo takes back #${change.seq}: ${titleOfChange(change, titles)}` : "");
        this.#showHints();
    }

    /** Shows the hints that were given, if the flow has hints. */
    async #showHints() {
        const hasHints = this.#playsEvent(({ hint }) => hint);
        const shown = find(".givenhints", this.#events.element);
        if (!hasHints && shown) shown.hidden = true;
        if (!hasHints) return;
        const { titles } = this.#presentSession;
        (await this.#loadGivenHints())?.show(this.#logbook.entries, titles.events, this.#context.isVirtual);
    }

    /** Whether the session is open, and its flow has an event for which `test(event)` is true. */
    #playsEvent(test) {
        const { session, titles, isClosed, problem } = this.#presentSession;
        return session !== null && !isClosed && !problem && titles.events.some(test);
    }

    /** Shows who pressed the buzzer, if the flow has one. Called also when an event was refused. */
    async showPresses() {
        const hasBuzzer = this.#playsEvent(({ buzz }) => buzz);
        const shown = find(".pressorder", this.#events.element);
        if (!hasBuzzer && shown) shown.hidden = true;
        if (!hasBuzzer) return;
        const { session } = this.#presentSession;
        (await this.#loadPressOrder())?.show(session.session);
    }

    /** Takes back all changes after the record of a change in the log, after a question. */
    async undoTo(record) {
        const { titles, session } = this.#presentSession;
        const count = undoableChanges(this.#logbook.entries).filter(({ seq }) => seq > record.seq).length;
        const { entry } = session;
        const { confirm } = await import("../shared/confirmation.js");
        const what = count === 1 ? "1 change" : `${count} changes`;
        if (await confirm(`Undo ${what} after #${record.seq}, ${titleOfChange(record, titles)}`, false)) {
            this.#undo({ seq: record.seq }, entry);
        }
    }

    /** Shows the number of the newest change, the age of the state (from the log), and the number of deferred events. */
    showNumbers() {
        const { session, problem, isClosed } = this.#presentSession;
        clearTimeout(this.#refreshTimer);
        if (!session || problem) return setText(this.#numbers, "");
        const parts = [`#${session.seq}`];
        // The log is newest first, so this is the change that entered the present state.
        const entered = this.#logbook.entries.find(({ record }) => isEntry(record))?.record;
        if (entered && !isClosed) parts.push(this.#ageText(entered));
        if (session.deferred > 0) parts.push(`${session.deferred} kept for later`);
        setText(this.#numbers, parts.join(" · "));
        const isMoving = entered && !this.#context.isVirtual && !this.#context.isLost;
        if (isMoving) this.#refreshTimer = setTimeout(() => this.showNumbers(), this.#refreshMs(entered.atMs));
    }

    /** The time in ms after which the age of the state is shown again. In the first minute, the age is shown in seconds. */
    #refreshMs(atMs) {
        return this.#clock.nowMs - atMs < 60_000 ? 1_000 : 10_000;
    }

    /** When the state was entered, and how long ago. The parameter is the record of the entry. */
    #ageText({ atMs, time }) {
        const isVirtual = this.#context.isVirtual;
        const precise = instantText(atMs, isVirtual, time);
        // On a real clock, the text is without the milliseconds.
        const at = isVirtual ? precise : precise.replace(/\.\d+$/, "");
        return `since ${at} (${agoText(this.#clock.nowMs - atMs)} ago)`;
    }

    /** Shows why the session `name` cannot be shown. `problem` is the refusal of the method `status`. */
    #showProblem(name, problem) {
        setText(this.#title, name);
        setText(this.#state, problemTitles[problem.message] ?? "Not available");
        this.#data.showNote(closedSentence(problem));
    }

    #showSession(session, isClosed) {
        const { flow, state, data, final: isFinal } = session;
        const { titles } = this.#presentSession;
        setText(this.#title, [session.session, teamText(session), titles.flow(flow ?? "")].filter(Boolean).join(" · "));
        setText(this.#state, isClosed ? "Closed" : titles.state(state));
        setText(this.#stateNote, isClosed ? "" : titles.stateNote(state));
        this.#state.classList.toggle("final", Boolean(isFinal));
        if (isClosed) this.#data.showNote(`Closed, while in "${state}".`);
        // `storage` says why the store does not work.
        else if (session.storage) this.#data.showNote(`No change is possible now: ${session.storage}`);
        else this.#data.show(data, (name) => titles.datum(state, name));
        this.#flowFacts.show(session, titles);
        const mayOperate = !isClosed && this.#context.rights.has("operate", session.session);
        this.#message.show(session, mayOperate);
        this.#notes.show(session, mayOperate);
        // After the game, it is the next thing to do. Many flows have no final state, so it is there before, too.
        this.#playAgainButton.className = isFinal ? "primary" : "quiet";
    }

    /**
     * Undoes the newest step, or all after the change with the number `seq`. The button is disabled until the answer comes: a
     * second press would undo another step. `entry` is the entry that the operator has seen.
     */
    async #undo(target, entry = this.#presentSession.session.entry) {
        this.#undoButton.disabled = true;
        try {
            await call("undo", { session: this.#presentSession.name, entry, ...target });
            this.#events.showOutcome("done", "");
        } catch (error) {
            this.#events.showRefusal(error);
        } finally {
            this.#undoButton.disabled = false;
        }
    }

    /** Reads the states of the flow, and opens the dialog in which one of them is chosen. */
    async #openGotoDialog() {
        const { session } = this.#presentSession;
        try {
            const { states } = await describe(session);
            this.#gotoDialog.ask(session, states);
        } catch (error) {
            this.#events.showRefusal(error);
        }
    }
}
