import { describe } from "../shared/flows.js";

/** Which states are final: a change does not say so, the flow does. */
export class Finals {
    #states = new Map();
    #learned;

    /** `learned()` is called when another flow's final states are known. */
    constructor(learned) {
        this.#learned = learned;
    }

    /** Whether that session has come to its end. */
    has({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        if (!this.#states.has(flow)) this.#learn(flow);
        return this.#states.get(flow).has(state);
    }

    async #learn(flow) {
        this.#states.set(flow, new Set());
        const { states } = await describe(flow).catch(() => ({ states: [] }));
        const names = states.filter((state) => state.final).map((state) => state.name);
        this.#states.set(flow, new Set(names));
        this.#learned();
    }
}
