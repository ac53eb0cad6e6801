import { freshId, h } from "../shared/dom.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { call } from "../shared/rpc.js";
import { humanised } from "../shared/words.js";
import { Dialog } from "./dialog.js";

const warning =
    "This overrides the rules of the game. All timers of the new state start with their full time.";

/** The dialog of an operator's override: enters any state, with its data. */
export class GotoDialog {
    #dialog;
    #state;
    #data = h("div", { class: "fields" });
    #fields = new Map();
    /** The values that were typed so far, by the names of the fields. */
    #typedValues = {};
    #states = [];
    #reason;
    #name = "";

    constructor() {
        const words = { title: "Go to a state", verb: "Go there" };
        this.#dialog = new Dialog(words, () => this.#go());
        this.#state = h("select", { id: freshId("field"), onchange: () => this.#showData() });
        const reasonId = freshId("field");
        const attributes = { id: reasonId, type: "text", autocomplete: "off" };
        this.#reason = h("input", { ...attributes, placeholder: "optional; the log shows it" });
        this.#dialog.body.append(
            h("p", { class: "help" }, warning),
            h("div", { class: "field" }, h("label", { for: this.#state.id }, "State"), this.#state),
            this.#data,
            h("div", { class: "field" }, h("label", { for: reasonId }, "Reason"), this.#reason),
        );
    }

    /** Asks for a state of the session, which is one of `states`. The session's present data are proposed for that state. */
    ask(session, states) {
        this.#name = session.session;
        this.#states = states;
        const options = states.map(({ name, title }) =>
            h("option", { value: name }, title ?? humanised(name)),
        );
        this.#state.replaceChildren(...options);
        this.#state.value = session.state;
        this.#reason.value = "";
        this.#fields = new Map();
        this.#typedValues = Object.fromEntries(
            Object.entries(session.data ?? {}).map(([name, value]) => [name, textOf(value)]),
        );
        this.#showData();
        this.#dialog.ask();
    }

    /** Fields of the same name keep their values when another state is chosen. */
    #showData() {
        for (const [name, { element }] of this.#fields) this.#typedValues[name] = valueOf(element);
        const state = this.#states.find(({ name }) => name === this.#state.value);
        this.#fields = fieldsOf(state.data);
        for (const [name, { element }] of this.#fields) prefill(element, this.#typedValues[name]);
        this.#data.replaceChildren(...[...this.#fields.values()].map(({ element }) => element));
    }

    #go() {
        const params = { session: this.#name, state: this.#state.value };
        const reason = this.#reason.value.trim();
        if (this.#fields.size > 0) params.data = readAll(this.#fields);
        if (reason !== "") params.reason = reason;
        return call("goto", params);
    }
}

/** A value as the user types it into a field. */
function textOf(value) {
    if (value === null) return "";
    if (Array.isArray(value)) return value.join(", ");
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function inputOf(element) {
    return element.querySelector("input, select, textarea");
}

function valueOf(element) {
    const input = inputOf(element);
    return input.type === "checkbox" ? String(input.checked) : input.value;
}

function prefill(element, text) {
    const input = inputOf(element);
    if (text === undefined) return;
    if (input.type === "checkbox") input.checked = text === "true";
    else if (!input.options || [...input.options].some(({ value }) => value === text)) {
        input.value = text;
    }
}
