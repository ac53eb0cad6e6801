import { newestTitles } from "../shared/flows.js";

/** The final states of flows; a change does not say whether its state is final. */
export class Finals {
    #learned;

    /** Calls `learned()` when another flow's final states are known. */
    constructor(learned) {
        this.#learned = learned;
    }

    /** Whether the session is in a final state. */
    has({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        const { states } = newestTitles(flow, this.#learned);
        return states.some((each) => each.name === state && each.final);
    }
}
