import { h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";

/** The version of the flow that a session plays, its settings, its labels, and the text of its file. */
export class FlowFacts {
    #summary = h("summary");
    #list = h("dl", { class: "data" });
    #file = h("pre", { tabindex: 0, "aria-label": "Flow file" });
    #button = h("button", { type: "button", class: "quiet", onclick: () => this.#showFile() }, "Show the file");
    #session = null;
    #key = "";
    element = h("details", { class: "flowfacts" }, this.#summary, this.#list, this.#button, this.#file);

    show(session, titles) {
        const { flow, version, settings = {}, labels = {} } = session;
        this.#session = session.session;
        setText(this.#summary, `${titles.flow(flow ?? "")}, version ${version ?? ""}`);
        const items = [
            ["Note", titles.note],
            ...Object.entries(labels),
            ...Object.entries(settings),
        ].filter(([, value]) => value !== "");
        this.#list.replaceChildren(
            ...items.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
        );
        this.#list.hidden = items.length === 0;
        // Only a flow file has a version that is a text, and only users who may operate get its settings and its text.
        this.#button.hidden = typeof version !== "string" || session.settings === undefined;
        const key = `${session.session} ${flow} ${version}`;
        if (key === this.#key) return;
        this.#key = key;
        this.#file.hidden = true;
    }

    async #showFile() {
        const session = this.#session;
        const text = await call("describe", { session, source: true }).then(
            ({ source }) => source ?? "",
            (error) => errorSentence(error),
        );
        if (session !== this.#session) return;
        setText(this.#file, text);
        this.#file.hidden = false;
    }
}
