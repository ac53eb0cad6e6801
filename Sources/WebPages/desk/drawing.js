/*
 * A flow as Graphviz has drawn it: the title of a node is its state, the title of an edge is
 * `from->to`, and its labels are the events. This class finds the nodes and edges, and highlights them.
 */

const smallestScale = 0.8;
const largestScale = 1.5;

export class Drawing {
    element;
    #nodes = new Map();
    #edges = [];

    constructor(svg) {
        this.element = svg;
        this.#fit();
        svg.setAttribute("role", "presentation");
        for (const group of svg.querySelectorAll("g.node, g.edge, g.graph")) this.#index(group);
    }

    /** Highlights a state and `transitions`, the newest first; `isNew` if the newest one has just been made. */
    highlight(state, transitions, isNew) {
        const sources = new Set(transitions.map(({ from }) => from));
        for (const [name, node] of this.#nodes) {
            node.classList.toggle("present", name === state);
            node.classList.toggle("recent", name !== state && sources.has(name));
        }
        for (const edge of this.#edges) {
            edge.group.classList.toggle("open", edge.from === state);
            delete edge.group.dataset.age;
        }
        transitions.forEach((step, age) => {
            const group = this.#edge(step)?.group;
            if (group && group.dataset.age === undefined) group.dataset.age = age;
        });
        if (isNew && transitions.length > 0) this.#animate(this.#edge(transitions[0]));
        this.#reveal(state);
    }

    #index(group) {
        const title = group.querySelector(":scope > title");
        const name = title.textContent;
        // The browser would show the title as a tool tip.
        title.remove();
        if (group.matches(".node") && name !== "") {
            group.dataset.state = name;
            this.#nodes.set(name, group);
        } else if (group.matches(".edge")) {
            const [from, to] = name.split("->");
            // A label may contain the condition on the arguments after the event's name.
            const labels = [...group.querySelectorAll("text")].map((text) => text.textContent);
            const events = labels.map((label) => label.split(" ")[0]);
            this.#edges.push({ group, from, to, events });
        }
    }

    #edge({ from, to, event }) {
        const between = this.#edges.filter((edge) => edge.from === from && edge.to === to);
        return between.find((edge) => edge.events.includes(event)) ?? between[0];
    }

    /** Makes the drawing as wide as the page, within the limits in which its text is readable. */
    #fit() {
        const { width } = this.element.viewBox.baseVal;
        this.element.removeAttribute("width");
        this.element.removeAttribute("height");
        this.element.style.minWidth = `${width * smallestScale}px`;
        this.element.style.maxWidth = `${width * largestScale}px`;
    }

    /** Animates the edge of the newest transition: it is drawn again from its start to its end. */
    #animate(edge) {
        const path = edge?.group.querySelector("path");
        if (!path || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        const copy = path.cloneNode();
        copy.removeAttribute("stroke-dasharray");
        copy.setAttribute("class", "sweep");
        copy.setAttribute("pathLength", "1");
        copy.addEventListener("animationend", () => copy.remove());
        edge.group.append(copy);
    }

    /** Scrolls to the state if the drawing is wider than the page. */
    #reveal(state) {
        const node = this.#nodes.get(state);
        const frame = this.element.parentElement;
        if (!node || !frame || frame.scrollWidth <= frame.clientWidth) return;
        const [box, view] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
        const offset = box.left + box.width / 2 - view.left - view.width / 2;
        const isMotionReduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
        frame.scrollBy({ left: offset, behavior: isMotionReduced ? "instant" : "smooth" });
    }
}
