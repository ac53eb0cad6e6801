import { find, h } from "../shared/dom.js";
import { describe } from "../shared/flows.js";
import { diagramOf } from "./diagramsource.js";
import { Drawing } from "./drawing.js";

/** At most this many of the newest transitions are highlighted. */
const maximumHighlightedTransitions = 4;

/** The diagram of the shown session's flow. The present state and the newest transitions are highlighted. */
export class Diagram {
    #element = find("#diagram");
    /** The `PresentSession`: the shown session, as the daemon has reported it. */
    #presentSession;
    /** The `Logbook`: the newest changes and refusals of the shown session. */
    #logbook;
    /** The flow and version whose diagram is shown or being loaded. */
    #flowVersion = null;
    /** A `Drawing` or, without a diagram, `Chips`; null until the diagram is loaded. */
    #drawing = null;
    /** What is highlighted: the session's name, its state and the transitions, as JSON. */
    #highlightedKey = "";
    /** The position of the newest transition that has been highlighted. */
    #highlightedPos = 0;

    constructor(presentSession, logbook) {
        [this.#presentSession, this.#logbook] = [presentSession, logbook];
        this.#element.tabIndex = 0;
    }

    /** Shows the diagram and its highlights. Called when the shown session has changed, or when another session is shown. */
    show() {
        const { session, isClosed, problem } = this.#presentSession;
        this.#element.hidden = !session?.flow || Boolean(problem);
        this.#element.classList.toggle("closed", isClosed);
        if (session?.flow && versionOf(session) !== this.#flowVersion) this.#load(session);
        else this.highlight();
    }

    /** Highlights the present state and the newest transitions. Called when the logbook has changed. */
    highlight() {
        const { session, name } = this.#presentSession;
        if (!session || !this.#drawing || versionOf(session) !== this.#flowVersion) return;
        const transitions = this.#newestTransitions();
        const key = JSON.stringify([name, session.state, transitions]);
        if (key === this.#highlightedKey) return;
        // The key begins with a bracket and the session's name.
        const isSameSession = this.#highlightedKey.startsWith(JSON.stringify([name]).slice(0, -1));
        const newestPos = transitions[0]?.pos ?? 0;
        // After `goto` or `undo`, the newest transition of an event is one that has been animated before.
        const isAnimated = isSameSession && newestPos > this.#highlightedPos;
        [this.#highlightedKey, this.#highlightedPos] = [key, newestPos];
        this.#drawing.highlight(session.state, transitions, isAnimated);
        this.#element.setAttribute("aria-label", `Diagram of ${session.flow}, now ${session.state}`);
    }

    /** The last transitions that events made, newest first: `{pos, from, to, event}` with the names of states and events. */
    #newestTransitions() {
        return this.#logbook.entries
            .map(({ record }) => record)
            .filter(({ kind, event, from, to }) => kind === "enter" && event && from && to)
            .slice(0, maximumHighlightedTransitions)
            .map(({ pos, from, to, event }) => ({ pos, from: from.state, to: to.state, event: event.name }));
    }

    async #load(session) {
        const flowVersion = versionOf(session);
        this.#flowVersion = flowVersion;
        this.#drawing = null;
        this.#highlightedKey = "";
        const svg = await diagramOf(session);
        const drawing = svg ? new Drawing(svg) : await Chips.of(session);
        if (this.#flowVersion !== flowVersion) return;
        this.#drawing = drawing;
        this.#element.replaceChildren(drawing.element);
        this.highlight();
    }
}

function versionOf({ flow, version }) {
    return `${flow} ${version}`;
}

/** A list of the states. The page shows this list in place of a `Drawing` if the server has no diagram of the flow. */
class Chips {
    element;

    /** The list for a session's flow; empty if the server does not describe the flow. */
    static async of(session) {
        const { states } = await describe(session).catch(() => ({ states: [] }));
        return new Chips(states.map((state) => state.name));
    }

    constructor(stateNames) {
        const chips = stateNames.map((name) => h("li", {}, name));
        this.element = h("ul", { class: "chips" }, chips);
    }

    /** Highlights the present state, and the states that the newest transitions left. */
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
