import { h, setText } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";

/**
 * The controls of a simulated device: they press its buttons, and make it leave, return or sleep. The page does not know how
 * many buttons the device has. If a button does not exist, the page shows the server's refusal.
 */
export class DeviceControls {
    elements;
    name;
    #answer = h("p", { class: "answer", role: "status" });
    #order;
    #device;

    /** `order(button, params)` carries out an order; it throws the server's refusal. */
    constructor(device, name, order) {
        [this.#device, this.name, this.#order] = [device, name, order];
        const limits = { type: "number", min: 1, max: 32, value: 1, required: true };
        const names = { name: "button", "aria-label": `Button: ${name}` };
        const buttonNumber = h("input", { ...limits, ...names });
        const press = h("button", { class: "press", "aria-label": `Press: ${name}` }, "Press");
        const submit = (event) => {
            event.preventDefault();
            this.#carryOut(press, { action: "press", button: buttonNumber.valueAsNumber });
        };
        const form = h("form", { onsubmit: submit }, buttonNumber, press);
        const buttons = ["Drop", "Return", "Sleep"].map((text) => this.#button(text, name));
        const attributes = { class: "plain needs-connection controls", "aria-label": `By hand: ${name}` };
        this.elements = [h("fieldset", attributes, form, buttons), this.#answer];
    }

    #button(text, name) {
        const action = text.toLowerCase();
        const onclick = (event) => this.#carryOut(event.currentTarget, { action });
        return h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick }, text);
    }

    async #carryOut(button, params) {
        try {
            await this.#order(button, { device: this.#device, ...params });
            setText(this.#answer, "");
        } catch (error) {
            setText(this.#answer, `${errorSentence(error)}.`);
        }
    }
}
