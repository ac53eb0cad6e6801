import { freshId, h, setText } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";

/**
 * A dialog with a form for a command to the server. It stays open until the server has carried out the command, or the user
 * cancels it. If the server refuses the command, the dialog shows why.
 */
export class Dialog {
    /** The element to which the code that makes the dialog adds fields and texts. */
    body = h("div", { class: "fields" });
    #element;
    /** Says why the server has refused the command. */
    #refusalText = h("p", { class: "message", role: "alert" });
    #submitButton;
    #cancelButton;
    #carryOut;

    /**
     * `verb` is the text of the button that sends the command. If `isDangerous` is true, the button has the colour of a
     * warning. `carryOut()` sends the command. It returns a promise, which is rejected with the server's refusal.
     */
    constructor({ title, verb, isDangerous = false }, carryOut) {
        this.#carryOut = carryOut;
        const id = freshId("dialog");
        const kind = isDangerous ? "danger" : "primary";
        this.#submitButton = h("button", { type: "submit", class: kind }, verb);
        const close = () => this.#element.close();
        this.#cancelButton = h("button", { type: "button", class: "quiet", onclick: close }, "Cancel");
        const buttons = h("fieldset", { class: "plain needs-connection buttons" }, this.#submitButton, this.#cancelButton);
        const submit = (event) => this.#submit(event);
        const heading = h("h2", { id }, title);
        const form = h("form", { onsubmit: submit }, heading, this.body, this.#refusalText, buttons);
        this.#element = h("dialog", { "aria-labelledby": id }, form);
        document.body.append(this.#element);
    }

    /** Opens the dialog. `error` says why the dialog could not be prepared; null if it was prepared. */
    ask(error = null) {
        setText(this.#refusalText, error === null ? "" : errorSentence(error));
        this.#element.showModal();
        // Without fields, the dialog is a confirmation: a hurried second press of the same key must not confirm.
        const firstControl = this.body.querySelector("input, select, textarea") ?? this.#cancelButton;
        firstControl.focus();
    }

    async #submit(event) {
        event.preventDefault();
        this.#submitButton.setAttribute("aria-busy", "true");
        try {
            await this.#carryOut();
            this.#element.close();
        } catch (error) {
            setText(this.#refusalText, errorSentence(error));
        } finally {
            this.#submitButton.removeAttribute("aria-busy");
        }
    }
}
