import { find, h, setText } from "../shared/dom.js";
import { describe, isForPages } from "../shared/flows.js";
import { choicesOf } from "../shared/flowwords.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { pressEvent } from "../shared/press.js";
import { closedSentence } from "../shared/refusal.js";
import { humanised, inWords } from "../shared/words.js";

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
    /** The boxes of checklists: the name of the datum, the item and the button of each. */
    #boxes = [];
    /** The entry that the operator sees. Each event names it, so that the daemon refuses an event for an earlier entry. */
    #entry;

    constructor(presentSession, context) {
        [this.#presentSession, this.#context] = [presentSession, context];
        this.element = h("div", { class: "events" }, this.#acceptedControls, this.#outcome, this.#notAcceptedDetails);
        addEventListener("keydown", (event) => this.#handleKey(event));
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
        this.#tickBoxes(session);
        // If nothing differs, the controls stay as they are, because the user may be typing into one of the forms.
        if (key === this.#drawnKey) return;
        this.#drawnKey = key;
        const flow = await describe(session).catch(() => null);
        if (flow === null) this.#drawnKey = "";
        if (flow === null || key !== this.#drawnKey) return;
        this.#draw({ ...session, accepts }, flow.events.filter(isForPages));
        this.#tickBoxes(session);
    }

    /** Shows which items of the checklists are ticked. */
    #tickBoxes({ data }) {
        for (const { list, item, button } of this.#boxes) {
            button.setAttribute("aria-checked", String(data?.[list]?.includes?.(item) === true));
        }
    }

    /** Makes the controls. `events` are the events of the flow that pages may send. */
    #draw({ session: sessionName, accepts, final: isFinal }, events) {
        const usesKeyboard = find(":focus-visible", this.#acceptedControls) !== null;
        this.#boxes = [];
        const accepted = events.filter(({ name }) => accepts.includes(name));
        const notAccepted = events.filter(({ name }) => !accepts.includes(name));
        const controlsOf = (events) => events.map((event) => this.#makeControl(sessionName, event));
        const controls = controlsOf(accepted.filter(({ danger }) => !danger));
        const dangerous = controlsOf(accepted.filter(({ danger }) => danger));
        if (dangerous.length > 0) controls.push(h("div", { class: "dangers" }, dangerous));
        const noEventsText = isFinal ? "The state is final: no more events are accepted." : "No event is accepted.";
        if (controls.length === 0) controls.push(h("p", { class: "help" }, noEventsText));
        this.#acceptedControls.replaceChildren(...controls);
        setText(this.#notAcceptedSummary, `Not now: ${notAccepted.length}`);
        this.#notAcceptedDetails.hidden = notAccepted.length === 0;
        this.#notAcceptedList.replaceChildren(...notAccepted.map((event) => h("li", {}, titleOf(event))));
        // Keyboard users continue at the first control.
        if (usesKeyboard) find("button, input, select", this.#acceptedControls)?.focus();
    }

    /** A button, a form, or a button for each value, that sends the event. `event` is its description in the result of `describe`. */
    #makeControl(sessionName, event) {
        const title = titleOf(event);
        if (event.ticks) return this.#makeBoxes(sessionName, event, title);
        const choices = choicesOf(event);
        if (choices) return this.#makeChoiceButtons(sessionName, event, title, choices);
        const fields = fieldsOf(event.args);
        const hasNoFields = fields.size === 0;
        const kind = event.danger ? "danger" : "press";
        const button = h("button", { type: hasNoFields ? "button" : "submit", class: kind }, title);
        button.dataset.event = event.name;
        addKey(button, event);
        const send = () => this.#send(button, sessionName, event, readAll(fields));
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
        const classes = event.hint ? "press-form hint" : "press-form";
        return h("form", { class: classes, onsubmit: submit }, note, elements, button);
    }

    /** A box for each item of a checklist. The flow decides what a press does, whether the box is ticked or not. */
    #makeBoxes(sessionName, event, title) {
        const [{ name, values }] = event.args;
        const boxes = values.map((item) => {
            const send = () => this.#send(button, sessionName, event, { [name]: item });
            const button = h("button", { type: "button", class: "box", role: "checkbox", onclick: send }, inWords(item, values));
            button.dataset.event = event.name;
            this.#boxes.push({ list: event.ticks, item, button });
            return button;
        });
        return h("fieldset", { class: "plain checklist" }, h("legend", {}, title), boxes);
    }

    /** Buttons for an event whose only argument has few values. `choices` are the text and the value of each button. */
    #makeChoiceButtons(sessionName, event, title, choices) {
        const [{ name, type }] = event.args;
        const buttons = choices.map(([text, value]) => {
            const onclick = ({ currentTarget }) =>
                this.#send(currentTarget, sessionName, event, { [name]: value }, `${title}: ${text}`);
            const button = h("button", { type: "button", class: event.danger ? "danger" : "press", onclick }, text);
            button.dataset.event = event.name;
            return button;
        });
        const fieldset = h("fieldset", { class: "plain answers", "aria-label": title }, buttons);
        if (event.note) fieldset.title = event.note;
        // "Right" and "Wrong" need no heading, but names do.
        const heading = type === "boolean" ? null : h("legend", {}, title);
        if (heading) fieldset.prepend(heading);
        if (event.key) addKey(fieldset, event, heading ?? buttons[0]);
        return fieldset;
    }

    /**
     * Sends an event for a pressed button, and shows the result. `description` is the event in the result of `describe`, and
     * `title` what the operator confirms if the event asks for it.
     */
    async #send(button, sessionName, description, args, title = titleOf(description)) {
        const { name: event, confirm: asks, danger } = description;
        // The operator confirms what is shown now.
        const entry = this.#entry;
        try {
            if (asks) {
                const { confirm } = await import("../shared/confirmation.js");
                if (!(await confirm(title, danger))) return;
            }
            const change = await pressEvent(button, { session: sessionName, event, args, entry }, entry);
            // There is no change if the button was pressed while its previous press is unanswered.
            if (!change) return;
            this.showOutcome("done", change.deferred ? `${event} is kept for later` : "");
            // A second press of the same key must not send the same hint, or the same danger, again.
            if (description.hint || danger) button.form?.reset();
        } catch (error) {
            this.showRefusal(error);
        }
    }

    /**
     * A key that the flow gives to an event presses its button. If the event has arguments, it moves to the first field or the
     * first of several buttons.
     */
    #handleKey(event) {
        const isTyping = event.target.matches?.("input, select, textarea") || find("dialog[open]") !== null;
        if (isTyping || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
        const key = CSS.escape(event.key.toLowerCase());
        const control = find(`[data-key="${key}"]`, this.#acceptedControls);
        if (!control?.checkVisibility() || control.matches(":disabled")) return;
        event.preventDefault();
        const target = find(control.matches("fieldset") ? "button" : "input, select, textarea", control.form ?? control);
        if (target) target.focus();
        else control.click();
    }

    /** Shows the result of the newest press, or of an operator's command such as an undo. `kind` is `done` or `refused`. */
    showOutcome(kind, text) {
        this.#outcome.dataset.kind = kind;
        setText(this.#outcome, text);
    }

    showRefusal(error) {
        this.showOutcome("refused", closedSentence(error));
    }
}

function titleOf({ name, title }) {
    return title ?? humanised(name);
}

/** Shows the key that presses the button, or leads to one of several buttons, if the flow gives one to the event. */
function addKey(control, { key }, place = control) {
    if (!key) return;
    control.dataset.key = key;
    control.setAttribute("aria-keyshortcuts", key);
    place.append(" ", h("kbd", { "aria-hidden": "true" }, key.toUpperCase()));
}

/** Makes the first text field among `elements` offer the texts that the flow suggests for the event. */
function addSuggestions({ suggest: texts }, elements) {
    const input = elements.map((element) => find('input[type="text"]', element)).find(Boolean);
    if (!texts || !input) return;
    const list = h("datalist", { id: `${input.id}-texts` }, texts.map((value) => h("option", { value })));
    input.setAttribute("list", list.id);
    input.after(list);
}
