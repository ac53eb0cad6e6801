import { freshId, h, setText } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";

/** The durations for which a message can be shown: the parameter `for` of the method `say`, and its text. */
const durations = [["", "until it is removed"], ["30s", "for 30 seconds"], ["1m", "for 1 minute"], ["5m", "for 5 minutes"]];
/** The limit of the field, in UTF-16 code units. The server allows 500 characters, which have up to two code units each. */
const longestText = 1000;

/** The message that the players' screens show, and a form for the next one. */
export class Message {
    #summary = h("summary");
    #text;
    #duration;
    #removeButton;
    #answer = h("p", { class: "answer", role: "status" });
    #session = null;
    element;

    constructor() {
        const id = freshId("field");
        const attributes = { id, type: "text", autocomplete: "off", required: true, maxlength: longestText };
        this.#text = h("input", attributes);
        const options = durations.map(([value, text]) => h("option", { value }, text));
        this.#duration = h("select", { "aria-label": "How long" }, options);
        const onclick = () => this.#say({ text: "" });
        this.#removeButton = h("button", { type: "button", class: "quiet", onclick }, "Remove it");
        const onsubmit = (event) => {
            event.preventDefault();
            this.#show();
        };
        const label = h("label", { for: id }, "Message to the players");
        const buttons = [h("button", { type: "submit" }, "Show it"), this.#removeButton];
        const fields = h("fieldset", { class: "plain needs-connection" }, label, this.#text, this.#duration, buttons);
        this.element = h("details", { class: "message" }, this.#summary, h("form", { onsubmit }, fields, this.#answer));
    }

    /** Shows the message of the session; `mayOperate` if the user may change it. */
    show(session, mayOperate) {
        if (session.session !== this.#session) setText(this.#answer, "");
        this.#session = session.session;
        const shown = session.say?.text ?? "";
        setText(this.#summary, shown === "" ? "Message to the players" : `The players read: ${shown}`);
        this.#removeButton.hidden = shown === "";
        this.element.hidden = !mayOperate;
    }

    async #show() {
        const params = { text: this.#text.value };
        if (this.#duration.value !== "") params.for = this.#duration.value;
        if (await this.#say(params)) this.#text.value = "";
    }

    /** Sends the message. Returns whether the daemon has accepted it. */
    async #say(params) {
        try {
            await call("say", { session: this.#session, ...params });
            setText(this.#answer, "");
            return true;
        } catch (error) {
            setText(this.#answer, `${errorSentence(error)}.`);
            return false;
        }
    }
}
