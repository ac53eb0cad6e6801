import { h, setText } from "../shared/dom.js";
import { press } from "../shared/press.js";
import { errorSentence } from "../shared/refusal.js";

/**
 * Opens a closed session again, with its name and flow. The flow of a session that was closed before the
 * page was loaded is not known; a dialog asks for it.
 */
export class Reopening {
    element;
    #dialog;
    #button;
    #answer = h("p", { class: "answer", role: "alert" });
    #name = "";
    #flow = null;

    constructor(dialog) {
        this.#dialog = dialog;
        const onclick = () => this.#open();
        const buttonAttributes = { type: "button", class: "primary", id: "reopen", onclick };
        this.#button = h("button", buttonAttributes, "Open it again");
        const fieldsetAttributes = { class: "plain needs-connection", "aria-label": "Closed session" };
        this.element = h("fieldset", fieldsetAttributes, this.#button, this.#answer);
    }

    show({ name, session, problem, isClosed }, rights) {
        const isGone = isClosed || problem?.message === "unknownSession";
        const isHidden = !isGone || !rights.has("operate", name);
        if (isHidden || name !== this.#name) setText(this.#answer, "");
        this.element.hidden = isHidden;
        [this.#name, this.#flow] = [name, session?.flow ?? null];
    }

    async #open() {
        if (this.#flow === null) return this.#dialog.ask(this.#name);
        try {
            await press(this.#button, { session: this.#name, flow: this.#flow }, "open");
        } catch (error) {
            setText(this.#answer, `${errorSentence(error)}.`);
        }
    }
}
