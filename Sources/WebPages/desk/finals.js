import { newestTitles } from "../shared/flows.js";

/** Which states are final: a change does not say so, the flow does. */
export class Finals {
    #learned;

    /** `learned()` is called when another flow's final states are known. */
    constructor(learned) {
        this.#learned = learned;
    }

    /** Whether that session has come to its end. */
    has({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        const { states } = newestTitles(flow, this.#learned);
        return states.some((each) => each.name === state && each.final);
    }
}
