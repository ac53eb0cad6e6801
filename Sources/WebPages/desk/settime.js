import { freshId, h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** The dialog that sets the remaining time of a countdown. */
export class SetTimeDialog {
    #dialog;
    #input;
    #label;
    #params = {};

    constructor() {
        this.#dialog = new Dialog({ title: "Set the time", verb: "Set it" }, () => this.#set());
        const id = freshId("field");
        const attributes = { id, type: "text", autocomplete: "off", required: true };
        this.#input = h("input", { ...attributes, placeholder: "90s, 5m or 1h30m" });
        this.#label = h("label", { for: id });
        this.#dialog.body.append(h("div", { class: "field" }, this.#label, this.#input));
    }

    /** `name` is the timer's title. */
    ask(session, fires, name) {
        this.#params = { session, fires, action: "set" };
        this.#label.textContent = `${name}: time that is left`;
        this.#input.value = "";
        this.#dialog.ask();
    }

    #set() {
        return call("timer", { ...this.#params, to: this.#input.value.trim() });
    }
}
