import { h, setText } from "../shared/dom.js";
import { callForButton } from "../shared/press.js";
import { closedSentence } from "../shared/refusal.js";

/**
 * The button that opens a closed session again, with the same name and flow. If the session was closed before the page was
 * loaded, the page does not know the session's flow. Then a dialog asks for the flow.
 */
export class ReopenButton {
    element;
    #openDialog;
    #button;
    #refusalText = h("p", { class: "answer", role: "alert" });
    #sessionName = "";
    /** The name of the flow; null if it is not known. */
    #flow = null;

    /** `openDialog` is an `OpenDialog`. */
    constructor(openDialog) {
        this.#openDialog = openDialog;
        const onclick = () => this.#open();
        const buttonAttributes = { type: "button", class: "primary", id: "reopen", onclick };
        this.#button = h("button", buttonAttributes, "Open it again");
        const fieldsetAttributes = { class: "plain needs-connection", "aria-label": "Closed session" };
        this.element = h("fieldset", fieldsetAttributes, this.#button, this.#refusalText);
    }

    /** Shows the button if the session is closed and the user may operate it. The first parameter is the `PresentSession`. */
    show({ name, session, problem, isClosed }, rights) {
        const isGone = isClosed || problem?.message === "unknownSession";
        const isHidden = !isGone || !rights.has("operate", name);
        if (isHidden || name !== this.#sessionName) setText(this.#refusalText, "");
        this.element.hidden = isHidden;
        [this.#sessionName, this.#flow] = [name, session?.flow ?? null];
    }

    /** Opens the session if the flow is known; otherwise asks for the flow. */
    async #open() {
        if (this.#flow === null) return this.#openDialog.ask(this.#sessionName);
        try {
            await callForButton(this.#button, { session: this.#sessionName, flow: this.#flow }, "open");
        } catch (error) {
            setText(this.#refusalText, closedSentence(error));
        }
    }
}
