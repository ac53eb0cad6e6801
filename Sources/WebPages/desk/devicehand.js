import { h, say } from "../shared/dom.js";
import { sentence } from "../shared/refusal.js";

/**
 * The hand on a simulated device. How many buttons it has is not told: whoever presses one that is
 * not there hears it.
 */
export class DeviceHand {
    elements;
    name;
    #answer = h("p", { class: "answer", role: "status" });
    #order;
    #device;

    /** An order is `order(button, params)`, which throws what the server refuses. */
    constructor(device, name, order) {
        [this.#device, this.name, this.#order] = [device, name, order];
        const limits = { type: "number", min: 1, max: 32, value: 1, required: true };
        const label = { name: "button", "aria-label": `Button: ${name}` };
        const number = h("input", { ...limits, ...label });
        const press = h("button", { class: "press", "aria-label": `Press: ${name}` }, "Press");
        const submit = (event) => {
            event.preventDefault();
            this.#do(press, { action: "press", button: number.valueAsNumber });
        };
        const form = h("form", { onsubmit: submit }, number, press);
        const buttons = ["Drop", "Return", "Sleep"].map((text) => this.#button(text, name));
        const attributes = { class: "plain live hand", "aria-label": `By hand: ${name}` };
        this.elements = [h("fieldset", attributes, form, buttons), this.#answer];
    }

    #button(text, name) {
        const action = text.toLowerCase();
        const onclick = (event) => this.#do(event.currentTarget, { action });
        return h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick }, text);
    }

    async #do(button, params) {
        try {
            await this.#order(button, { device: this.#device, ...params });
            say(this.#answer, "");
        } catch (error) {
            say(this.#answer, `${sentence(error)}.`);
        }
    }
}
