import { find, h, setText } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { booleanChoicesOf } from "../shared/flowwords.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { pressEvent } from "../shared/press.js";
import { errorSentence } from "../shared/refusal.js";
import { humanised } from "../shared/words.js";

/**
 * The events that the session accepts: a button for each, or a small form if the event has arguments; and the
 * result of the newest press.
 */
export class Events {
    element;
    #present;
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #accepted = h("fieldset", { class: "plain needs-connection presses", "aria-label": "Events" });
    #others = h("ul");
    #notNow = h("details", { class: "not-accepted" }, h("summary"), this.#others);
    #outcome = h("p", { class: "outcome", role: "status" });
    #shownKey = "";
    /** The entry that the operator sees. Each event contains it, so that the daemon refuses an event for an earlier entry. */
    #entry;

    constructor(present, context) {
        [this.#present, this.#context] = [present, context];
        this.element = h("div", { class: "events" }, this.#accepted, this.#outcome, this.#notNow);
    }

    clearOutcome() {
        setText(this.#outcome, "");
    }

    async show() {
        const { session, isPartial, isClosed, problem } = this.#present;
        const { rights } = this.#context;
        const mayPlay = rights.has("play", session?.session ?? "");
        const isRunning = session?.flow && !isClosed && !problem;
        this.element.hidden = !isRunning || !mayPlay;
        if (this.element.hidden || isPartial) return;
        this.#entry = session.entry;
        const accepts = session.accepts.filter((name) => rights.maySend(name, session.session));
        const { flow: flowName, version } = session;
        const key = JSON.stringify([session.session, flowName, version, session.state, accepts]);
        // The same buttons are kept, because the user may be typing into one of their forms.
        if (key === this.#shownKey) return;
        this.#shownKey = key;
        const flow = await describe(session).catch(() => null);
        if (flow === null) this.#shownKey = "";
        if (flow === null || key !== this.#shownKey) return;
        this.#draw({ ...session, accepts }, flow.events);
    }

    #draw({ session, accepts, final: isFinal }, events) {
        const usesKeyboard = find(":focus-visible", this.#accepted) !== null;
        const accepted = events.filter(({ name }) => accepts.includes(name));
        const others = events.filter(({ name }) => !accepts.includes(name));
        const controls = accepted.map((event) => this.#controlFor(session, event));
        const noEventsText = isFinal ? "The state is final: no more events are accepted." : "No event is accepted.";
        if (controls.length === 0) controls.push(h("p", { class: "help" }, noEventsText));
        this.#accepted.replaceChildren(...controls);
        setText(this.#notNow.firstChild, `Not now: ${others.length}`);
        this.#notNow.hidden = others.length === 0;
        this.#others.replaceChildren(...others.map((event) => h("li", {}, titleOf(event))));
        // Keyboard users continue at the first control.
        if (usesKeyboard) find("button, input, select", this.#accepted)?.focus();
    }

    #controlFor(session, event) {
        const name = titleOf(event);
        const answers = booleanChoicesOf(event);
        if (answers) return this.#answerButtons(session, event, name, answers);
        const fields = fieldsOf(event.args);
        const hasNoFields = fields.size === 0;
        const button = h("button", { type: hasNoFields ? "button" : "submit", class: "press" }, name);
        button.dataset.event = event.name;
        const send = () => this.#send(button, session, event.name, readAll(fields));
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
        suggest(event, elements);
        const note = event.note ? h("p", { class: "help" }, event.note) : null;
        return h("form", { class: "press-form", onsubmit: submit }, note, elements, button);
    }

    /** Two buttons for an event whose only argument is true or false. */
    #answerButtons(session, event, name, answers) {
        const buttons = answers.map(([text, value]) => {
            const args = { [event.args[0].name]: value };
            const onclick = ({ currentTarget }) =>
                this.#send(currentTarget, session, event.name, args);
            const button = h("button", { type: "button", class: "press", onclick }, text);
            button.dataset.event = event.name;
            return button;
        });
        return h("fieldset", { class: "plain answers", "aria-label": name }, buttons);
    }

    async #send(button, session, event, args) {
        try {
            const entry = this.#entry;
            const change = await pressEvent(button, { session, event, args, entry }, entry);
            if (change) this.showOutcome("done", change.deferred ? `${event} is kept for later` : "");
        } catch (error) {
            this.showOutcome("refused", `${errorSentence(error)}.`);
        }
    }

    /** Shows the result of the newest press or order. `kind` is `done` or `refused`. */
    showOutcome(kind, text) {
        this.#outcome.dataset.kind = kind;
        setText(this.#outcome, text);
    }
}

function titleOf({ name, title }) {
    return title ?? humanised(name);
}

/** Makes the first field for a text offer the texts that the flow suggests. */
function suggest({ suggest: texts }, elements) {
    const input = elements.map((element) => find('input[type="text"]', element)).find(Boolean);
    if (!texts || !input) return;
    const list = h("datalist", { id: `${input.id}-texts` }, texts.map((value) => h("option", { value })));
    input.setAttribute("list", list.id);
    input.after(list);
}
