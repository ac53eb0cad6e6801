import { freshId, h, setText } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";

/**
 * A dialog with a form for an order to the server. It stays open until the order is carried out or cancelled, and shows the
 * server's refusal.
 */
export class Dialog {
    body = h("div", { class: "fields" });
    #element;
    #answer = h("p", { class: "message", role: "alert" });
    #button;
    #carryOut;

    /** `verb` is the text of the button. `carryOut()` carries out the order; it throws the server's refusal. */
    constructor({ title, verb, isDangerous = false }, carryOut) {
        this.#carryOut = carryOut;
        const id = freshId("dialog");
        const kind = isDangerous ? "danger" : "primary";
        this.#button = h("button", { type: "submit", class: kind }, verb);
        const close = () => this.#element.close();
        const cancel = h("button", { type: "button", class: "quiet", onclick: close }, "Cancel");
        const buttons = h("fieldset", { class: "plain needs-connection buttons" }, this.#button, cancel);
        const submit = (event) => this.#submit(event);
        const heading = h("h2", { id }, title);
        const form = h("form", { onsubmit: submit }, heading, this.body, this.#answer, buttons);
        this.#element = h("dialog", { "aria-labelledby": id }, form);
        document.body.append(this.#element);
    }

    ask() {
        setText(this.#answer, "");
        this.#element.showModal();
        const first = this.body.querySelector("input, select, textarea") ?? this.#button;
        first.focus();
    }

    async #submit(event) {
        event.preventDefault();
        this.#button.setAttribute("aria-busy", "true");
        try {
            await this.#carryOut();
            this.#element.close();
        } catch (error) {
            setText(this.#answer, errorSentence(error));
        } finally {
            this.#button.removeAttribute("aria-busy");
        }
    }
}
