import { freshId, h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** The dialog that sets the remaining time of a countdown. */
export class SetTimeDialog {
    #dialog;
    #timeInput;
    #labelElement;
    /** The parameters of the method `timer`, without the time. */
    #params = {};

    constructor() {
        this.#dialog = new Dialog({ title: "Set the time", verb: "Set it" }, () => this.#set());
        const id = freshId("field");
        const attributes = { id, type: "text", autocomplete: "off", required: true };
        this.#timeInput = h("input", { ...attributes, placeholder: "90s, 5m or 1h30m" });
        this.#labelElement = h("label", { for: id });
        this.#dialog.body.append(h("div", { class: "field" }, this.#labelElement, this.#timeInput));
    }

    /** Opens the dialog for the countdown that sends the signal `fires`; `title` is the countdown's title. */
    ask(session, fires, title) {
        this.#params = { session, fires, action: "set" };
        this.#labelElement.textContent = `${title}: time that is left`;
        this.#timeInput.value = "";
        this.#dialog.ask();
    }

    #set() {
        return call("timer", { ...this.#params, to: this.#timeInput.value.trim() });
    }
}
