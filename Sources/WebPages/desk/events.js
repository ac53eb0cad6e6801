import { find, h, setText } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { booleanChoicesOf } from "../shared/flowwords.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { pressEvent } from "../shared/press.js";
import { errorSentence } from "../shared/refusal.js";
import { humanised } from "../shared/words.js";

/**
 * The events that the shown session accepts: a button for each, or a small form if the event has arguments. Below them are the
 * result of the newest press, and the titles of the other events of the flow.
 */
export class Events {
    element;
    /** The `PresentSession`: the shown session, as the daemon has reported it. */
    #presentSession;
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #acceptedControls = h("fieldset", { class: "plain needs-connection presses", "aria-label": "Events" });
    #notAcceptedList = h("ul");
    #notAcceptedSummary = h("summary");
    #notAcceptedDetails = h("details", { class: "not-accepted" }, this.#notAcceptedSummary, this.#notAcceptedList);
    #outcome = h("p", { class: "outcome", role: "status" });
    /** What the controls were made for: the session, its flow, state and accepted events, as JSON. */
    #drawnKey = "";
    /** The entry that the operator sees. Each event names it, so that the daemon refuses an event for an earlier entry. */
    #entry;

    constructor(presentSession, context) {
        [this.#presentSession, this.#context] = [presentSession, context];
        this.element = h("div", { class: "events" }, this.#acceptedControls, this.#outcome, this.#notAcceptedDetails);
    }

    clearOutcome() {
        setText(this.#outcome, "");
    }

    /** Shows the events that the session accepts and this page may send. Called when the shown session has changed. */
    async show() {
        const { session, isPartial, isClosed, problem } = this.#presentSession;
        const { rights } = this.#context;
        const mayPlay = rights.has("play", session?.session ?? "");
        const isRunning = session?.flow && !isClosed && !problem;
        this.element.hidden = !isRunning || !mayPlay;
        // While the session is partial, the events that the new state accepts are not known yet.
        if (this.element.hidden || isPartial) return;
        this.#entry = session.entry;
        const accepts = session.accepts.filter((name) => rights.maySend(name, session.session));
        const { flow: flowName, version } = session;
        const key = JSON.stringify([session.session, flowName, version, session.state, accepts]);
        // If nothing differs, the controls stay as they are, because the user may be typing into one of the forms.
        if (key === this.#drawnKey) return;
        this.#drawnKey = key;
        const flow = await describe(session).catch(() => null);
        if (flow === null) this.#drawnKey = "";
        if (flow === null || key !== this.#drawnKey) return;
        this.#draw({ ...session, accepts }, flow.events);
    }

    /** Makes the controls. `events` are all events of the flow. */
    #draw({ session: sessionName, accepts, final: isFinal }, events) {
        const usesKeyboard = find(":focus-visible", this.#acceptedControls) !== null;
        const accepted = events.filter(({ name }) => accepts.includes(name));
        const notAccepted = events.filter(({ name }) => !accepts.includes(name));
        const controls = accepted.map((event) => this.#makeControl(sessionName, event));
        const noEventsText = isFinal ? "The state is final: no more events are accepted." : "No event is accepted.";
        if (controls.length === 0) controls.push(h("p", { class: "help" }, noEventsText));
        this.#acceptedControls.replaceChildren(...controls);
        setText(this.#notAcceptedSummary, `Not now: ${notAccepted.length}`);
        this.#notAcceptedDetails.hidden = notAccepted.length === 0;
        this.#notAcceptedList.replaceChildren(...notAccepted.map((event) => h("li", {}, titleOf(event))));
        // Keyboard users continue at the first control.
        if (usesKeyboard) find("button, input, select", this.#acceptedControls)?.focus();
    }

    /** A button, a form or two buttons that send the event. `event` is its description in the result of `describe`. */
    #makeControl(sessionName, event) {
        const title = titleOf(event);
        const choices = booleanChoicesOf(event);
        if (choices) return this.#makeChoiceButtons(sessionName, event, title, choices);
        const fields = fieldsOf(event.args);
        const hasNoFields = fields.size === 0;
        const button = h("button", { type: hasNoFields ? "button" : "submit", class: "press" }, title);
        button.dataset.event = event.name;
        const send = () => this.#send(button, sessionName, event.name, readAll(fields));
        if (hasNoFields) {
            button.addEventListener("click", send);
            if (event.note) button.title = event.note;
            return button;
        }
        const submit = (submission) => {
            submission.preventDefault();
            send();
        };
        const elements = [...fields.values()].map(({ element }) => element);
        addSuggestions(event, elements);
        const note = event.note ? h("p", { class: "help" }, event.note) : null;
        return h("form", { class: "press-form", onsubmit: submit }, note, elements, button);
    }

    /** Two buttons for an event whose only argument is true or false. `choices` are the text and the value of each button. */
    #makeChoiceButtons(sessionName, event, title, choices) {
        const buttons = choices.map(([text, value]) => {
            const args = { [event.args[0].name]: value };
            const onclick = ({ currentTarget }) =>
                this.#send(currentTarget, sessionName, event.name, args);
            const button = h("button", { type: "button", class: "press", onclick }, text);
            button.dataset.event = event.name;
            return button;
        });
        return h("fieldset", { class: "plain answers", "aria-label": title }, buttons);
    }

    /** Sends an event for a pressed button, and shows the result. */
    async #send(button, sessionName, event, args) {
        try {
            const entry = this.#entry;
            const change = await pressEvent(button, { session: sessionName, event, args, entry }, entry);
            // There is no change if the button was pressed while its previous press is unanswered.
            if (change) this.showOutcome("done", change.deferred ? `${event} is kept for later` : "");
        } catch (error) {
            this.showRefusal(error);
        }
    }

    /** Shows the result of the newest press, or of an operator's command such as an undo. `kind` is `done` or `refused`. */
    showOutcome(kind, text) {
        this.#outcome.dataset.kind = kind;
        setText(this.#outcome, text);
    }

    showRefusal(error) {
        this.showOutcome("refused", `${errorSentence(error)}.`);
    }
}

function titleOf({ name, title }) {
    return title ?? humanised(name);
}

/** Makes the first text field among `elements` offer the texts that the flow suggests for the event. */
function addSuggestions({ suggest: texts }, elements) {
    const input = elements.map((element) => find('input[type="text"]', element)).find(Boolean);
    if (!texts || !input) return;
    const list = h("datalist", { id: `${input.id}-texts` }, texts.map((value) => h("option", { value })));
    input.setAttribute("list", list.id);
    input.after(list);
}
