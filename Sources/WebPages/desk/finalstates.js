import { titlesOfNewestVersion } from "../shared/flows.js";

/** The final states of flows; a change does not say whether its state is final. */
export class FinalStates {
    #onLearned;

    /** Calls `onLearned()` each time the final states of one more flow are known. */
    constructor(onLearned) {
        this.#onLearned = onLearned;
    }

    /**
     * Whether the session is in a final state. `final` is known only if the session comes from a list of sessions. Otherwise
     * the description of its flow says which states are final.
     */
    isFinal({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        const { states } = titlesOfNewestVersion(flow, this.#onLearned);
        return states.some((each) => each.name === state && each.final);
    }
}
