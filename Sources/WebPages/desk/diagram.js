import { h, one } from "../shared/dom.js";
import { describe, diagramOf } from "../shared/flows.js";
import { Drawing } from "./drawing.js";

/** The flow of the session on show, with the state it is in lit, and the road by which it came. */
const roadLength = 4;

export class Diagram {
    #element = one("#diagram");
    #present;
    #logbook;
    #flow = null;
    #drawing = null;
    #shown = "";

    constructor(present, logbook) {
        [this.#present, this.#logbook] = [present, logbook];
        this.#element.tabIndex = 0;
    }

    show() {
        const { session, isClosed, problem } = this.#present;
        this.#element.hidden = !session?.flow || Boolean(problem);
        this.#element.classList.toggle("over", isClosed);
        if (session?.flow && session.flow !== this.#flow) this.#load(session.flow);
        else this.light();
    }

    /** Lights the state and the road. */
    light() {
        const { session, name } = this.#present;
        if (!session || !this.#drawing || session.flow !== this.#flow) return;
        const road = this.#road();
        const key = JSON.stringify([name, session.state, road]);
        if (key === this.#shown) return;
        const isNews = this.#shown.startsWith(JSON.stringify([name]).slice(0, -1));
        this.#shown = key;
        this.#drawing.light(session.state, road, isNews);
        this.#element.setAttribute("aria-label", `Diagram of ${this.#flow}, now ${session.state}`);
    }

    /** The last transitions, the newest first. */
    #road() {
        return this.#logbook.entries
            .map(({ record }) => record)
            .filter(({ kind, event, from, to }) => kind === "enter" && event && from && to)
            .slice(0, roadLength)
            .map(({ from, to, event }) => ({ from: from.state, to: to.state, event: event.name }));
    }

    async #load(flow) {
        this.#flow = flow;
        this.#drawing = null;
        this.#shown = "";
        const svg = await diagramOf(flow);
        const drawing = svg ? new Drawing(svg) : await Chips.of(flow);
        if (this.#flow !== flow) return;
        this.#drawing = drawing;
        this.#element.replaceChildren(drawing.element);
        this.light();
    }
}

/** The states of a flow that nobody has drawn. */
class Chips {
    element;

    static async of(flow) {
        const { states } = await describe(flow).catch(() => ({ states: [] }));
        return new Chips(states.map((state) => state.name));
    }

    constructor(names) {
        const chips = names.map((name) => h("li", {}, name));
        this.element = h("ul", { class: "chips" }, chips);
    }

    light(state, road) {
        for (const chip of this.element.children) {
            const name = chip.textContent;
            chip.classList.toggle("lit", name === state);
            chip.classList.toggle("came", name !== state && road.some(({ from }) => from === name));
            if (name === state) chip.setAttribute("aria-current", "true");
            else chip.removeAttribute("aria-current");
        }
    }
}
