import { freshId, h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** The dialog that opens a session. It asks for the session's name and flow. */
export class OpenDialog {
    #dialog;
    #nameInput;
    #flowSelect;
    /** The mistakes in flow files, and the warnings about them: a line with their number, and a list that it opens. */
    #findings;
    #findingCount;
    #findingList;

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
        this.#findingCount = h("summary");
        // A list that scrolls must be reachable by keyboard.
        this.#findingList = h("ul", { tabindex: 0, "aria-label": "Mistakes and warnings in flow files" });
        this.#findings = h("details", { class: "findings" }, this.#findingCount, this.#findingList);
        this.#findings.hidden = true;
        this.#dialog.body.append(
            h("div", { class: "field" }, h("label", { for: this.#nameInput.id }, "Name"), this.#nameInput),
            h("div", { class: "field" }, h("label", { for: this.#flowSelect.id }, "Flow"), this.#flowSelect),
            this.#findings,
        );
    }

    /** Shows the mistakes in flow files and the warnings about them. They are left out if they cannot be read. */
    async #showFindings() {
        let findings = [];
        try {
            const { mistakes, warnings = [] } = await call("flows");
            findings = [...mistakes, ...warnings];
            this.#findingCount.textContent = `In flow files: mistakes ${mistakes.length}, warnings ${warnings.length}`;
        } catch {
            // Who may not read them can still open a session.
        }
        this.#findingList.replaceChildren(...findings.map((finding) => h("li", {}, finding)));
        this.#findings.hidden = findings.length === 0;
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
        this.#showFindings();
        this.#dialog.ask(failure);
    }
}
