import { titlesOfNewestVersion } from "../shared/newesttitles.js";

/** Knows which states of each flow are final, because a change does not tell whether the state that it enters is final. */
export class FinalStates {
    #onKnown;

    /** Calls `onKnown()` each time the final states of one more flow are known. */
    constructor(onKnown) {
        this.#onKnown = onKnown;
    }

    /**
     * Whether a session is in a final state. A session that comes from a list has the member `final`. For a session that comes
     * from a change, the newest version of its flow decides; the result is false until this version is known.
     */
    isFinal({ flow, state, final }) {
        if (final !== undefined) return final;
        if (!flow) return false;
        const { states } = titlesOfNewestVersion(flow, this.#onKnown);
        return states.some((description) => description.name === state && description.final);
    }
}
