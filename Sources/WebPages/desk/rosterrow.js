import { h, setText } from "../shared/dom.js";
import { teamText } from "./teamtext.js";

/** What operators should know of a session, the most urgent first; undefined if there is nothing. */
function warningOf({ refusedTimer, stuck, unshown, unsaid }) {
    if (refusedTimer) return { word: "timer refused", sentence: `The state refuses its own timer ${refusedTimer}` };
    if (stuck) return { word: "stuck", sentence: "Longer in this state than nine of ten visits" };
    const missing = [...(unshown ?? []), ...(unsaid ?? [])];
    if (missing.length > 0) return { word: "text missing", sentence: `The players' screen cannot compute: ${missing.join(", ")}` };
    return undefined;
}

/**
 * The row of one session in the list of sessions. The row is a link that changes the page's address, because the address names
 * the shown session.
 */
export class RosterRow {
    element;
    #link;
    #team = h("span", { class: "team" });
    #flow = h("span", { class: "flow" });
    #state = h("span", { class: "state" });
    #mark = h("span", { class: "mark" });

    /** `name` is the session's name, which never changes. */
    constructor(name) {
        const nameElement = h("span", { class: "name" }, name);
        const href = `#${new URLSearchParams({ session: name })}`;
        this.#link = h("a", { href }, nameElement, this.#mark, this.#team, this.#state, this.#flow);
        this.#link.dataset.session = name;
        this.element = h("li", {}, this.#link);
    }

    /** Shows a session. `titles` are the `Titles` of its flow; `isChosen` is true for the session that the desk shows. */
    show(session, titles, isFinal, isChosen) {
        const { flow, state } = session;
        setText(this.#team, teamText(session));
        setText(this.#flow, titles.flow(flow ?? ""));
        setText(this.#state, titles.state(state));
        const warning = isFinal ? undefined : warningOf(session);
        setText(this.#mark, isFinal ? "final" : (warning?.word ?? ""));
        this.#mark.classList.toggle("warning", warning !== undefined);
        this.#mark.title = warning?.sentence ?? "";
        if (isChosen) this.#link.setAttribute("aria-current", "true");
        else this.#link.removeAttribute("aria-current");
    }

    /** Highlights the row for a moment, because the session has changed. */
    flash() {
        for (const animation of this.#state.getAnimations()) animation.cancel();
        const isMotionReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
        if (!isMotionReduced) this.#state.animate([{ opacity: 0.2 }, { opacity: 1 }], { duration: 500 });
    }
}
