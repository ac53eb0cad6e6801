import { h, setText } from "../shared/dom.js";
import { closedSentence } from "../shared/refusal.js";

/**
 * The controls of a simulated device: they press its buttons, and make it leave, return or sleep. The page does not know how
 * many buttons the device has. If a button does not exist, the page shows the server's refusal.
 */
export class DeviceControls {
    /** The elements that the row of the device appends. */
    elements;
    /** The device's name in the labels. If a device is renamed, its row makes new controls. */
    name;
    #answer = h("p", { class: "answer", role: "status" });
    #sendCommand;
    /** The device's address. */
    #address;

    /**
     * `sendCommand(button, params)` sends a command with the parameters of the method `bluetooth`. It marks `button`, the
     * button of the page that the user clicked, until the answer comes. It throws the server's refusal.
     */
    constructor(address, name, sendCommand) {
        [this.#address, this.name, this.#sendCommand] = [address, name, sendCommand];
        // No simulated device has more than 32 buttons.
        const limits = { type: "number", min: 1, max: 32, value: 1, required: true };
        const labels = { name: "button", "aria-label": `Button: ${name}` };
        const numberField = h("input", { ...limits, ...labels });
        const pressButton = h("button", { class: "press", "aria-label": `Press: ${name}` }, "Press");
        const submit = (event) => {
            event.preventDefault();
            this.#carryOut(pressButton, { action: "press", button: numberField.valueAsNumber });
        };
        const form = h("form", { onsubmit: submit }, numberField, pressButton);
        const buttons = ["Drop", "Return", "Sleep"].map((text) => this.#button(text, name));
        const attributes = { class: "plain needs-connection controls", "aria-label": `By hand: ${name}` };
        this.elements = [h("fieldset", attributes, form, buttons), this.#answer];
    }

    /** A button whose text, in lowercase, is an action of the method `bluetooth`. */
    #button(text, name) {
        const action = text.toLowerCase();
        const onclick = (event) => this.#carryOut(event.currentTarget, { action });
        return h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick }, text);
    }

    async #carryOut(button, params) {
        try {
            await this.#sendCommand(button, { device: this.#address, ...params });
            setText(this.#answer, "");
        } catch (error) {
            setText(this.#answer, closedSentence(error));
        }
    }
}
