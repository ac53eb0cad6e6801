import { freshId, h } from "../shared/dom.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { call } from "../shared/rpc.js";
import { humanised } from "../shared/words.js";
import { Dialog } from "./dialog.js";

const warning =
    "This overrides the rules of the game. All timers of the new state start with their full time.";

/** The dialog in which an operator makes a session enter any state, with any data. It calls the method `goto`. */
export class GotoDialog {
    #dialog;
    #stateSelect;
    /** A button for each state that needs no data: a press goes there at once. */
    #atOnce = h("fieldset", { class: "plain atonce" });
    #fieldsElement = h("div", { class: "fields" });
    /** The fields for the data of the chosen state, by name, as `fieldsOf` makes them. */
    #fields = new Map();
    /** The texts that were proposed or typed so far, by the names of the fields. */
    #typedValues = {};
    /** The descriptions of the flow's states in the result of `describe`. */
    #states = [];
    #reasonInput;
    #sessionName = "";

    constructor() {
        const words = { title: "Go to a state", verb: "Go there" };
        this.#dialog = new Dialog(words, () => this.#go());
        this.#stateSelect = h("select", { id: freshId("field"), onchange: () => this.#showFields() });
        const reasonId = freshId("field");
        const attributes = { id: reasonId, type: "text", autocomplete: "off" };
        this.#reasonInput = h("input", { ...attributes, placeholder: "optional; the log shows it" });
        this.#dialog.body.append(
            h("p", { class: "help" }, warning),
            this.#atOnce,
            h("div", { class: "field" }, h("label", { for: this.#stateSelect.id }, "State"), this.#stateSelect),
            this.#fieldsElement,
            h("div", { class: "field" }, h("label", { for: reasonId }, "Reason"), this.#reasonInput),
        );
    }

    /** Opens the dialog for a session. `states` can be chosen; the session's present state and data are proposed. */
    ask(session, states) {
        this.#sessionName = session.session;
        this.#states = states;
        const options = states.map(({ name, title }) =>
            h("option", { value: name }, title ?? humanised(name)),
        );
        this.#stateSelect.replaceChildren(...options);
        this.#stateSelect.value = session.state;
        this.#reasonInput.value = "";
        this.#fields = new Map();
        this.#typedValues = Object.fromEntries(
            Object.entries(session.data ?? {}).map(([name, value]) => [name, textOf(value)]),
        );
        this.#showFields();
        this.#showAtOnce(session.state);
        this.#dialog.ask();
    }

    /** Shows a button for each other state without data of its own. The data of the flow stay as they are. */
    #showAtOnce(present) {
        const others = this.#states.filter(({ name, data }) => name !== present && data.every(({ flow }) => flow));
        const buttons = others.map(({ name, title }) => {
            const onclick = ({ currentTarget }) => {
                this.#stateSelect.value = name;
                // Without fields, no data are sent, so that the flow's data keep what they are when the daemon receives the command.
                this.#fields = new Map();
                this.#fieldsElement.replaceChildren();
                currentTarget.form.requestSubmit();
            };
            return h("button", { type: "button", class: "quiet", "data-state": name, onclick }, title ?? humanised(name));
        });
        this.#atOnce.replaceChildren(h("legend", {}, "At once, without a question"), ...buttons);
        this.#atOnce.hidden = buttons.length === 0;
    }

    /**
     * Shows the fields of the chosen state. A field gets the text that was last proposed or typed for a field of its name, and
     * otherwise the default.
     */
    #showFields() {
        for (const [name, { element }] of this.#fields) this.#typedValues[name] = typedTextOf(element);
        const { data } = this.#shownState;
        this.#fields = fieldsOf(data);
        for (const { name, default: value } of data) {
            const text = this.#typedValues[name] ?? (value === undefined ? undefined : textOf(value));
            if (text !== undefined) fill(this.#fields.get(name).element, text);
        }
        this.#fieldsElement.replaceChildren(...[...this.#fields.values()].map(({ element }) => element));
    }

    /** The description of the state that is chosen. */
    get #shownState() {
        return this.#states.find(({ name }) => name === this.#stateSelect.value);
    }

    #go() {
        const params = { session: this.#sessionName, state: this.#stateSelect.value };
        const reason = this.#reasonInput.value.trim();
        if (this.#fields.size > 0) params.data = withIntegers(this.#shownState.data, readAll(this.#fields));
        if (reason !== "") params.reason = reason;
        return call("goto", params);
    }
}

/**
 * The `values` of the fields, with integers in place of texts in each list of integers. A text that is no integer stays, so that
 * the daemon refuses it. `specs` describe the data.
 */
function withIntegers(specs, values) {
    const lists = specs.filter(({ name, items }) => items === "integer" && Array.isArray(values[name]));
    const integers = lists.map(({ name }) => [name, values[name].map(integerOrText)]);
    return { ...values, ...Object.fromEntries(integers) };
}

function integerOrText(text) {
    const number = Number(text);
    return Number.isInteger(number) ? number : text;
}

/** A value of the data, as a user would type it into a field. */
function textOf(value) {
    if (value === null) return "";
    if (Array.isArray(value)) return value.join(", ");
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The control in the element of a field; the element also contains a label. */
function inputOf(element) {
    return element.querySelector("input, select, textarea");
}

/** The text that a field contains; `true` or `false` for a check box, and the empty text for an undecided one. */
function typedTextOf(element) {
    const input = inputOf(element);
    if (input.type !== "checkbox") return input.value;
    return input.indeterminate ? "" : String(input.checked);
}

/** Sets a field to a text, unless the field cannot contain this text. */
function fill(element, text) {
    const input = inputOf(element);
    if (input.type === "checkbox") {
        // An undecided box begins undecided.
        if (text !== "") [input.checked, input.indeterminate] = [text === "true", false];
    } else if (!input.options || [...input.options].some(({ value }) => value === text)) {
        input.value = text;
    }
}
