import { freshId, h } from "../shared/dom.js";
import { fieldsOf, readAll } from "../shared/form.js";
import { call } from "../shared/rpc.js";
import { humanised } from "../shared/words.js";
import { Dialog } from "./dialog.js";

/** The operator's way out: enters any state from any, with data as the state has it. */
export class GotoDialog {
    #dialog;
    #state;
    #data = h("div", { class: "fields" });
    #fields = new Map();
    #states = [];
    #reason;
    #name = "";

    constructor() {
        const words = { title: "Go to a state", verb: "Go there" };
        this.#dialog = new Dialog(words, () => this.#go());
        this.#state = h("select", { id: freshId("field"), onchange: () => this.#showData() });
        const reason = { id: freshId("field"), type: "text", autocomplete: "off" };
        this.#reason = h("input", { ...reason, placeholder: "optional; it stands in the log" });
        this.#dialog.body.append(
            h("p", { class: "help" }, "The flow is not asked. The state's timers begin anew."),
            h("div", { class: "field" }, h("label", { for: this.#state.id }, "State"), this.#state),
            this.#data,
            h("div", { class: "field" }, h("label", { for: reason.id }, "Reason"), this.#reason),
        );
    }

    /** `session` as it is now: its data are a good beginning for those of another state. */
    ask(session, states) {
        this.#name = session.session;
        this.#states = states;
        const options = states.map(({ name }) => h("option", { value: name }, humanised(name)));
        this.#state.replaceChildren(...options);
        this.#state.value = session.state;
        this.#reason.value = "";
        this.#showData(session.data);
        this.#dialog.ask();
    }

    #showData(known = {}) {
        const state = this.#states.find(({ name }) => name === this.#state.value);
        this.#fields = fieldsOf(state.data);
        for (const [name, { element }] of this.#fields) prefill(element, known[name]);
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

function prefill(element, value) {
    const input = element.querySelector("input, select, textarea");
    if (value === undefined || value === null) return;
    if (input.type === "checkbox") input.checked = value;
    else if (Array.isArray(value)) input.value = value.join(", ");
    else input.value = typeof value === "object" ? JSON.stringify(value) : String(value);
}
