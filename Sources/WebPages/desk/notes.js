import { freshId, h, setText } from "../shared/dom.js";
import { closedSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";

/** The name of the label that contains the notes. Players do not get labels that begin with an underscore. */
const notesLabel = "_notes";
/** The limit of the text area, in UTF-16 code units. The server allows 200 characters, which have up to two code units each. */
const longestText = 400;

/** The game master's notes on a session. The notes are a label of the session, so that each desk shows the same notes. */
export class Notes {
    #summary = h("summary");
    #textArea;
    #resultText = h("p", { class: "answer", role: "status" });
    #sessionName = null;
    /** The notes as the daemon has them. */
    #storedNotes = "";
    element;

    constructor() {
        const id = freshId("field");
        this.#textArea = h("textarea", { id, rows: 3, maxlength: longestText });
        const onsubmit = (event) => {
            event.preventDefault();
            this.#save();
        };
        const save = h("button", { type: "submit" }, "Save");
        const caption = h("label", { for: id }, "Notes, which players do not see");
        const fields = h("fieldset", { class: "plain needs-connection" }, caption, this.#textArea, save);
        this.element = h("details", { class: "notes" }, this.#summary, h("form", { onsubmit }, fields, this.#resultText));
    }

    /**
     * Shows the notes of a session. Text that the user has typed but not saved stays. `mayOperate` tells whether the user may
     * change the notes.
     */
    show(session, mayOperate) {
        const notes = session.labels?.[notesLabel] ?? "";
        const isOtherSession = session.session !== this.#sessionName;
        if (isOtherSession) setText(this.#resultText, "");
        const isTyping = !isOtherSession && this.#textArea.value !== this.#storedNotes;
        if (!isTyping) this.#textArea.value = notes;
        [this.#sessionName, this.#storedNotes] = [session.session, notes];
        setText(this.#summary, notes === "" ? "Notes" : `Notes: ${notes}`);
        this.element.hidden = !mayOperate;
    }

    async #save() {
        const notes = this.#textArea.value.trim();
        try {
            await call("label", { session: this.#sessionName, labels: { [notesLabel]: notes } });
            [this.#textArea.value, this.#storedNotes] = [notes, notes];
            setText(this.#resultText, "Saved.");
        } catch (error) {
            setText(this.#resultText, closedSentence(error));
        }
    }
}
