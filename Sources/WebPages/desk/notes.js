import { freshId, h, setText } from "../shared/dom.js";
import { errorSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";

/** The label with the notes. Players do not get labels that begin with an underscore. */
const label = "_notes";
/** The limit of the field, in UTF-16 code units. The server allows 200 characters, and a character can have two code units. */
const longestText = 200;

/** The game master's notes on a session. They are a label of the session, so that each desk shows the same notes. */
export class Notes {
    #summary = h("summary");
    #text;
    #answer = h("p", { class: "answer", role: "status" });
    #session = null;
    /** The notes as the daemon has them. */
    #storedNotes = "";
    element;

    constructor() {
        const id = freshId("field");
        this.#text = h("textarea", { id, rows: 3, maxlength: longestText });
        const onsubmit = (event) => {
            event.preventDefault();
            this.#save();
        };
        const save = h("button", { type: "submit" }, "Save");
        const caption = h("label", { for: id }, "Notes, which players do not see");
        const fields = h("fieldset", { class: "plain needs-connection" }, caption, this.#text, save);
        this.element = h("details", { class: "notes" }, this.#summary, h("form", { onsubmit }, fields, this.#answer));
    }

    /** Shows the notes of the session, but keeps what the user types; `mayOperate` if the user may change them. */
    show(session, mayOperate) {
        const notes = session.labels?.[label] ?? "";
        const isOtherSession = session.session !== this.#session;
        if (isOtherSession) setText(this.#answer, "");
        const isTyping = !isOtherSession && this.#text.value !== this.#storedNotes;
        if (!isTyping) this.#text.value = notes;
        [this.#session, this.#storedNotes] = [session.session, notes];
        setText(this.#summary, notes === "" ? "Notes" : `Notes: ${notes}`);
        this.element.hidden = !mayOperate;
    }

    async #save() {
        const notes = this.#text.value.trim();
        try {
            await call("label", { session: this.#session, labels: { [label]: notes } });
            [this.#text.value, this.#storedNotes] = [notes, notes];
            setText(this.#answer, "Saved.");
        } catch (error) {
            setText(this.#answer, `${errorSentence(error)}.`);
        }
    }
}
