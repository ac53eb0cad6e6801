import { freshId, h, setText } from "../shared/dom.js";
import { sentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";

/** How long a message is shown, as the method `say` takes it; without a time until it is removed. */
const durations = [["", "until it is removed"], ["30s", "for 30 seconds"], ["1m", "for 1 minute"], ["5m", "for 5 minutes"]];
/** In UTF-16 units, of which a character outside the first plane has two: the server counts up to 500 characters. */
const longestText = 1000;

/** A message to the players' screens: the one that they show, and a form for the next one. */
export class Message {
    #summary = h("summary");
    #text;
    #for;
    #remove;
    #answer = h("p", { class: "answer", role: "status" });
    #session = null;
    element;

    constructor() {
        const id = freshId("field");
        const attributes = { id, type: "text", autocomplete: "off", required: true, maxlength: longestText };
        this.#text = h("input", attributes);
        const options = durations.map(([value, text]) => h("option", { value }, text));
        this.#for = h("select", { "aria-label": "How long" }, options);
        const onclick = () => this.#say({ text: "" });
        this.#remove = h("button", { type: "button", class: "quiet", onclick }, "Remove it");
        const onsubmit = (event) => {
            event.preventDefault();
            this.#show();
        };
        const label = h("label", { for: id }, "Message to the players");
        const buttons = [h("button", { type: "submit" }, "Show it"), this.#remove];
        const fields = h("fieldset", { class: "plain live" }, label, this.#text, this.#for, buttons);
        this.element = h("details", { class: "message" }, this.#summary, h("form", { onsubmit }, fields, this.#answer));
    }

    /** Shows the message of the session; `mayOperate` if the user may change it. */
    show(session, mayOperate) {
        if (session.session !== this.#session) setText(this.#answer, "");
        this.#session = session.session;
        const shown = session.say?.text ?? "";
        setText(this.#summary, shown === "" ? "Message to the players" : `The players read: ${shown}`);
        this.#remove.hidden = shown === "";
        this.element.hidden = !mayOperate;
    }

    async #show() {
        const params = { text: this.#text.value };
        if (this.#for.value !== "") params.for = this.#for.value;
        if (await this.#say(params)) this.#text.value = "";
    }

    /** Whether the daemon has accepted the message. */
    async #say(params) {
        try {
            await call("say", { session: this.#session, ...params });
            setText(this.#answer, "");
            return true;
        } catch (error) {
            setText(this.#answer, `${sentence(error)}.`);
            return false;
        }
    }
}
