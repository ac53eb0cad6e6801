import { freshId, h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** The dialog that opens a session. It asks for the session's name and flow. */
export class OpenDialog {
    #dialog;
    #nameInput;
    #flowSelect;

    /** Calls `onOpened(name)` after a session was opened. */
    constructor(onOpened = () => {}) {
        const words = { title: "Open a session", verb: "Open" };
        this.#dialog = new Dialog(words, async () => {
            const session = this.#nameInput.value.trim();
            await call("open", { session, flow: this.#flowSelect.value });
            this.#nameInput.value = "";
            onOpened(session);
        });
        this.#nameInput = h("input", {
            id: freshId("field"),
            type: "text",
            required: true,
            // The name of a session has up to 64 of the characters in the pattern.
            maxlength: 64,
            pattern: "[A-Za-z0-9._\\-]+",
            title: "Letters, digits, dots, dashes and underscores",
            placeholder: "room-1",
            autocomplete: "off",
            spellcheck: "false",
        });
        this.#flowSelect = h("select", { id: freshId("field") });
        this.#dialog.body.append(
            h("div", { class: "field" }, h("label", { for: this.#nameInput.id }, "Name"), this.#nameInput),
            h("div", { class: "field" }, h("label", { for: this.#flowSelect.id }, "Flow"), this.#flowSelect),
        );
    }

    /**
     * Reads the names of the flows, and opens the dialog. `name` is proposed; without `name`, the field keeps its text. If the
     * names cannot be read, the dialog says so, and offers the names that were read before.
     */
    async ask(name = this.#nameInput.value) {
        this.#nameInput.value = name;
        let failure = null;
        try {
            const { flows } = await call("hello");
            this.#flowSelect.replaceChildren(...flows.map((flow) => h("option", { value: flow }, flow)));
        } catch (error) {
            failure = error;
        }
        this.#dialog.ask(failure);
    }
}
