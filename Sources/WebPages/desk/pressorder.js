import { addStyles, h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";

/*
 * Who pressed the buzzer, in the order of receipt, and by how many milliseconds the others were later. The desk loads this file
 * when the shown flow has a buzzer, and this file loads its styles.
 */

addStyles(new URL("./pressorder.css", import.meta.url));

/** The largest number of presses that the page asks for. */
const maximumPresses = 100;
/** Further presses are folded. */
const maximumUnfolded = 12;
/** What became of a press, by the name of the error. */
const outcomes = { ok: "", noTransition: "too late", invalid: "refused", stale: "too old", finished: "after the end" };

export class PressOrder {
    element = h("section", { class: "pressorder", "aria-label": "Who pressed" });
    #list = h("ol");
    #folded = h("ol");
    #summary = h("summary");
    #rest = h("details", { hidden: true }, this.#summary, this.#folded);
    #note = h("p", { class: "help" });
    #isAsking = false;
    /** Whether another request must follow the one that is under way. */
    #isDue = false;

    constructor() {
        this.element.append(h("h3", {}, "Who pressed"), this.#list, this.#rest, this.#note);
    }

    /** Reads the presses of a session and shows them. At most one request is under way. */
    async show(session) {
        this.#isDue = true;
        if (this.#isAsking) return;
        this.#isAsking = true;
        while (this.#isDue) {
            this.#isDue = false;
            const answer = await call("presses", { session, limit: maximumPresses }).catch(() => null);
            if (answer) this.#draw(answer);
            else setText(this.#note, "The newest presses cannot be shown now.");
        }
        this.#isAsking = false;
    }

    /** `complete` is false if the daemon has forgotten presses. `more` is the number of those beyond the ones that it was asked for. */
    #draw({ presses, complete, more = 0 }) {
        this.element.hidden = presses.length === 0;
        const rows = presses.map(rowOf);
        this.#list.replaceChildren(...rows.slice(0, maximumUnfolded));
        const folded = rows.slice(maximumUnfolded);
        if (more > 0) folded.push(h("li", { class: "outcome" }, `${more} more are not shown`));
        this.#folded.replaceChildren(...folded);
        this.#rest.hidden = folded.length === 0;
        setText(this.#summary, `and ${presses.length + more - maximumUnfolded} more`);
        setText(this.#note, complete ? "" : "There may have been other presses.");
    }
}

function rowOf({ by, result, afterMs }, place) {
    const outcome = outcomes[result] ?? result;
    const row = h("li", {}, h("b", {}, by), h("span", { class: "after" }, place === 0 ? "first" : `+${afterMs} ms`));
    row.append(h("span", { class: "outcome" }, outcome));
    row.dataset.result = result;
    return row;
}
