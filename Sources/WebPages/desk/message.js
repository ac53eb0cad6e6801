import { freshId, h, setText } from "../shared/dom.js";
import { closedSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";

/** How long a message can be shown: the parameter `for` of the method `say`, and its text. */
const durations = [["", "until it is removed"], ["30s", "for 30 seconds"], ["1m", "for 1 minute"], ["5m", "for 5 minutes"]];
/** The limit of the input, in UTF-16 code units. The server allows 500 characters, which have up to two code units each. */
const longestText = 1000;

/** The message to the players, which their screens show, and the form with which an operator sets or removes it. */
export class Message {
    #summary = h("summary");
    #textInput;
    #durationSelect;
    #removeButton;
    #refusalText = h("p", { class: "answer", role: "status" });
    #sessionName = null;
    element;

    constructor() {
        const id = freshId("field");
        const attributes = { id, type: "text", autocomplete: "off", required: true, maxlength: longestText };
        this.#textInput = h("input", attributes);
        const options = durations.map(([value, text]) => h("option", { value }, text));
        this.#durationSelect = h("select", { "aria-label": "How long" }, options);
        const onclick = () => this.#say({ text: "" });
        this.#removeButton = h("button", { type: "button", class: "quiet", onclick }, "Remove it");
        const onsubmit = (event) => {
            event.preventDefault();
            this.#submit();
        };
        const label = h("label", { for: id }, "Message to the players");
        const buttons = [h("button", { type: "submit" }, "Show it"), this.#removeButton];
        const inputs = [this.#textInput, this.#durationSelect];
        const fields = h("fieldset", { class: "plain needs-connection" }, label, inputs, buttons);
        this.element = h("details", { class: "players-message" }, this.#summary, h("form", { onsubmit }, fields, this.#refusalText));
    }

    /** Shows the message of a session. `mayOperate` tells whether the user may change the message. */
    show(session, mayOperate) {
        if (session.session !== this.#sessionName) setText(this.#refusalText, "");
        this.#sessionName = session.session;
        const text = session.say?.text ?? "";
        setText(this.#summary, text === "" ? "Message to the players" : `The players read: ${text}`);
        this.#removeButton.hidden = text === "";
        this.element.hidden = !mayOperate;
    }

    /** Sends the typed message. */
    async #submit() {
        const params = { text: this.#textInput.value };
        if (this.#durationSelect.value !== "") params.for = this.#durationSelect.value;
        if (await this.#say(params)) this.#textInput.value = "";
    }

    /** Sets the message; the empty text removes it. Returns whether the daemon has accepted the message. */
    async #say(params) {
        try {
            await call("say", { session: this.#sessionName, ...params });
            setText(this.#refusalText, "");
            return true;
        } catch (error) {
            setText(this.#refusalText, closedSentence(error));
            return false;
        }
    }
}
