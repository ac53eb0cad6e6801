import { find, h } from "../shared/dom.js";
import { describe, diagramOf } from "../shared/flows.js";
import { Drawing } from "./drawing.js";

/** The number of the newest transitions that are highlighted. */
const trailLength = 4;

/** The diagram of the session's flow. The present state and the newest transitions are highlighted. */
export class Diagram {
    #element = find("#diagram");
    #present;
    #logbook;
    #flow = null;
    #drawing = null;
    #shownKey = "";

    constructor(present, logbook) {
        [this.#present, this.#logbook] = [present, logbook];
        this.#element.tabIndex = 0;
    }

    show() {
        const { session, isClosed, problem } = this.#present;
        this.#element.hidden = !session?.flow || Boolean(problem);
        this.#element.classList.toggle("over", isClosed);
        if (session?.flow && versionOf(session) !== this.#flow) this.#load(session);
        else this.highlight();
    }

    /** Highlights the state and the newest transitions. */
    highlight() {
        const { session, name } = this.#present;
        if (!session || !this.#drawing || versionOf(session) !== this.#flow) return;
        const transitions = this.#newestTransitions();
        const key = JSON.stringify([name, session.state, transitions]);
        if (key === this.#shownKey) return;
        // If the diagram showed this session before, the newest transition has just been made.
        const isNew = this.#shownKey.startsWith(JSON.stringify([name]).slice(0, -1));
        this.#shownKey = key;
        this.#drawing.highlight(session.state, transitions, isNew);
        this.#element.setAttribute("aria-label", `Diagram of ${session.flow}, now ${session.state}`);
    }

    /** The newest transitions, the newest first. */
    #newestTransitions() {
        return this.#logbook.entries
            .map(({ record }) => record)
            .filter(({ kind, event, from, to }) => kind === "enter" && event && from && to)
            .slice(0, trailLength)
            .map(({ from, to, event }) => ({ from: from.state, to: to.state, event: event.name }));
    }

    async #load(session) {
        const flow = versionOf(session);
        this.#flow = flow;
        this.#drawing = null;
        this.#shownKey = "";
        const svg = await diagramOf(session);
        const drawing = svg ? new Drawing(svg) : await Chips.of(session);
        if (this.#flow !== flow) return;
        this.#drawing = drawing;
        this.#element.replaceChildren(drawing.element);
        this.highlight();
    }
}

function versionOf({ flow, version }) {
    return `${flow} ${version}`;
}

/** A list of the states. It is shown if the server has no diagram of the flow. */
class Chips {
    element;

    static async of(session) {
        const { states } = await describe(session).catch(() => ({ states: [] }));
        return new Chips(states.map((state) => state.name));
    }

    constructor(names) {
        const chips = names.map((name) => h("li", {}, name));
        this.element = h("ul", { class: "chips" }, chips);
    }

    highlight(state, transitions) {
        for (const chip of this.element.children) {
            const name = chip.textContent;
            chip.classList.toggle("present", name === state);
            chip.classList.toggle("recent", name !== state && transitions.some(({ from }) => from === name));
            if (name === state) chip.setAttribute("aria-current", "true");
            else chip.removeAttribute("aria-current");
        }
    }
}
