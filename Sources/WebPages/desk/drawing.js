/** The smallest and the largest scale of a drawing at which its text is readable. */
const smallestScale = 0.8;
const largestScale = 1.5;

/**
 * A flow's diagram as Graphviz has drawn it. A node is a state, and its title is the state's name. An edge is a transition: its
 * title is `from->to`, and each of its labels begins with the name of an event. This class highlights nodes and edges.
 */
export class Drawing {
    /** The `svg` element. */
    element;
    /** The group elements of the nodes, by the names of the states. */
    #nodes = new Map();
    /** `{group, from, to, events}`: the group element of an edge, and the names of its states and events. */
    #edges = [];

    constructor(svg) {
        this.element = svg;
        this.#fit();
        svg.setAttribute("role", "presentation");
        for (const group of svg.querySelectorAll("g.node, g.edge, g.graph")) this.#index(group);
    }

    /**
     * Highlights the present state and the newest transitions. `transitions` are `{from, to, event}` with the names of states
     * and events, newest first. If `isAnimated` is true, the newest transition has just been made, and is animated.
     */
    highlight(state, transitions, isAnimated) {
        const sources = new Set(transitions.map(({ from }) => from));
        for (const [name, node] of this.#nodes) {
            node.classList.toggle("present", name === state);
            node.classList.toggle("recent", name !== state && sources.has(name));
        }
        for (const edge of this.#edges) {
            edge.group.classList.toggle("possible", edge.from === state);
            delete edge.group.dataset.age;
        }
        transitions.forEach((transition, age) => {
            const group = this.#edgeOf(transition)?.group;
            if (group && group.dataset.age === undefined) group.dataset.age = age;
        });
        if (isAnimated && transitions.length > 0) this.#animate(this.#edgeOf(transitions[0]));
        this.#reveal(state);
    }

    /** Adds a group element of the drawing to the nodes or edges, and removes the title of the group. */
    #index(group) {
        const title = group.querySelector(":scope > title");
        const name = title.textContent;
        // The browser would show the title as a tooltip.
        title.remove();
        if (group.matches(".node") && name !== "") {
            group.dataset.state = name;
            this.#nodes.set(name, group);
        } else if (group.matches(".edge")) {
            // An edge below its state begins and ends at the state's port `s`.
            const [from, to] = name.split("->").map((end) => end.replace(/:s$/, ""));
            // After the event's name, a label may contain a condition.
            const labels = [...group.querySelectorAll("text")].map((text) => text.textContent);
            const events = labels.map((label) => label.split(" ")[0]);
            this.#edges.push({ group, from, to, events });
        }
    }

    /**
     * The edge of a transition: the edge between its two states that has its event. If no edge has the event, any edge between
     * the two states. Undefined if there is no edge between them.
     */
    #edgeOf({ from, to, event }) {
        const candidates = this.#edges.filter((edge) => edge.from === from && edge.to === to);
        return candidates.find((edge) => edge.events.includes(event)) ?? candidates[0];
    }

    /** Makes the drawing as wide as its frame, within the two scales above. */
    #fit() {
        const { width } = this.element.viewBox.baseVal;
        this.element.removeAttribute("width");
        this.element.removeAttribute("height");
        this.element.style.minWidth = `${width * smallestScale}px`;
        this.element.style.maxWidth = `${width * largestScale}px`;
    }

    /** Animates an edge: a dash runs once along its line. The dash is drawn by a copy of the line with the class `sweep`. */
    #animate(edge) {
        const path = edge?.group.querySelector("path");
        if (!path || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
        const copy = path.cloneNode();
        copy.removeAttribute("stroke-dasharray");
        copy.setAttribute("class", "sweep");
        // The dashes in diagram.css are parts of this length.
        copy.setAttribute("pathLength", "1");
        copy.addEventListener("animationend", () => copy.remove());
        edge.group.append(copy);
    }

    /** Scrolls horizontally to the state if the drawing is wider than its frame. */
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
