import { freshId, h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** The dialog that opens a session: a name and a flow. */
export class OpenDialog {
    #dialog;
    #name;
    #flow;

    /** Calls `opened(name)` after a session was opened. */
    constructor(opened = () => {}) {
        const words = { title: "Open a session", verb: "Open" };
        this.#dialog = new Dialog(words, async () => {
            const session = this.#name.value.trim();
            await call("open", { session, flow: this.#flow.value });
            this.#name.value = "";
            opened(session);
        });
        this.#name = h("input", {
            id: freshId("field"),
            type: "text",
            required: true,
            maxlength: 64,
            pattern: "[A-Za-z0-9._\\-]+",
            title: "Letters, digits, dots, dashes and underscores",
            placeholder: "room-1",
            autocomplete: "off",
            spellcheck: "false",
        });
        this.#flow = h("select", { id: freshId("field") });
        this.#dialog.body.append(
            h("div", { class: "field" }, h("label", { for: this.#name.id }, "Name"), this.#name),
            h("div", { class: "field" }, h("label", { for: this.#flow.id }, "Flow"), this.#flow),
        );
    }

    async ask(name = this.#name.value) {
        this.#name.value = name;
        const { flows } = await call("hello");
        this.#flow.replaceChildren(...flows.map((flow) => h("option", { value: flow }, flow)));
        this.#dialog.ask();
    }
}
