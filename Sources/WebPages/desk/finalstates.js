import { titlesOfNewestVersion } from "../shared/newesttitles.js";

/**
 * Knows which states of each flow are final. A change names the state that it enters, but does not tell whether this state is
 * final.
 */
export class FinalStates {
    #onKnown;

    /** Calls `onKnown()` each time the final states of one more flow are known. */
    constructor(onKnown) {
        this.#onKnown = onKnown;
    }

    /**
     * Whether a session is in a final state. A session that comes from a list has the member `final`. For a session that comes
     * from a change, the newest version of its flow decides. Until the page knows this version, the result is false.
     */
    isFinal({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        const { states } = titlesOfNewestVersion(flow, this.#onKnown);
        return states.some((description) => description.name === state && description.final);
    }
}
