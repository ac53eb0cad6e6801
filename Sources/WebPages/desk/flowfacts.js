import { h, setText } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";

/** What a session plays: the flow and its version, the session's settings and labels, and the text of the flow file. */
export class FlowFacts {
    #summary = h("summary");
    #facts = h("dl", { class: "data" });
    #fileText = h("pre", { tabindex: 0, "aria-label": "Flow file" });
    #showFileButton = h("button", { type: "button", class: "quiet", onclick: () => this.#showFile() }, "Show the file");
    #sessionName = null;
    /** The session whose facts are shown: a result of the method `status`. */
    #shown = null;
    /** The session, flow and version for which the text of the file is shown or can be requested. */
    #versionKey = "";
    /** Settings are those of the opening. */
    #settingsNote = h("p", { class: "help" }, "Other settings hold from the next game on: Start again.");
    element = h("details", { class: "flowfacts" }, this.#summary, this.#facts, this.#settingsNote, this.#showFileButton, this.#fileText);

    /** Shows the flow of `session`, a result of the method `status`. `titles` are the `Titles` of this flow. */
    show(session, titles) {
        const { flow, version, settings = {} } = session;
        this.#sessionName = session.session;
        setText(this.#summary, `${titles.flow(flow ?? "")}, version ${version ?? ""}`);
        this.#showFacts(session, titles.note);
        this.#settingsNote.hidden = Object.keys(settings).length === 0;
        // Only the version of a flow file is a text. Only users who may operate the session get its settings and the file.
        this.#showFileButton.hidden = typeof version !== "string" || session.settings === undefined;
        const key = `${session.session} ${flow} ${version}`;
        if (key === this.#versionKey) return;
        this.#versionKey = key;
        this.#fileText.hidden = true;
    }

    /** Shows the note of the flow, the labels, and the settings by their titles. */
    async #showFacts(session, flowNote) {
        this.#shown = session;
        const flow = await describe(session).catch(() => null);
        // Another session, or a newer report on this one, is shown now.
        if (this.#shown !== session) return;
        const { settings = {}, labels = {} } = session;
        const settingOf = ([name, value]) => {
            const { title = name, note = "" } = flow?.settings?.find((each) => each.name === name) ?? {};
            return [title, value, note];
        };
        // A fact without a value is left out.
        const items = [
            ["Note", flowNote],
            ...Object.entries(labels),
            ...Object.entries(settings).map(settingOf),
        ].filter(([, value]) => value !== "");
        this.#facts.replaceChildren(...items.map(factElement));
        this.#facts.hidden = items.length === 0;
    }

    async #showFile() {
        const versionKey = this.#versionKey;
        const text = await call("describe", { session: this.#sessionName, source: true }).then(
            ({ source }) => source ?? "",
            (error) => errorSentence(error),
        );
        // Another session or version is shown now.
        if (versionKey !== this.#versionKey) return;
        setText(this.#fileText, text);
        this.#fileText.hidden = false;
    }
}

/** A fact, with a note if it has one. */
function factElement([name, value, note]) {
    const noteElement = note ? h("dd", { class: "help" }, note) : null;
    return h("div", {}, h("dt", {}, name), h("dd", {}, value), noteElement);
}
