import { timerName } from "./flowwords.js";
import { humanised, inWords, namesInWords } from "./words.js";

/** The titles of a flow's names; for a state, event or timer without a title, its name as words. */
export class Titles {
    #flow;
    #isTranslated;
    #states;
    #events;

    /**
     * `flow` is the answer to `describe`; null before it has come. `isTranslated`: it is in another language than the session's.
     */
    constructor(flow = null, isTranslated = false) {
        [this.#flow, this.#isTranslated] = [flow, isTranslated];
        this.#states = byName(flow?.states);
        this.#events = byName(flow?.events);
    }

    flow(name) {
        return this.#flow?.title ?? name;
    }

    state(name) {
        return this.#states.get(name)?.title ?? humanised(name);
    }

    /** The state's title within a sentence; without a title, the name as words with a small first letter. */
    spokenState(name) {
        const title = this.#states.get(name)?.title;
        if (title) return title;
        const text = humanised(name);
        return text.charAt(0).toLowerCase() + text.slice(1);
    }

    /** What the flow's author tells operators about a state; empty if the state has no note. */
    stateNote(name) {
        return this.#states.get(name)?.note ?? "";
    }

    event(name) {
        return this.#events.get(name)?.title ?? humanised(name);
    }

    /** The title of a state's timer. `timer` is the timer as `status` describes it. */
    timer(state, timer) {
        const found = this.#states.get(state)?.timers.find(({ fires }) => fires === timer.fires);
        return found?.title ?? timerName(timer);
    }

    /** Whether the flow's author has given a timer a title. */
    hasTimerTitle(state, { fires }) {
        return this.#states.get(state)?.timers.some((timer) => timer.fires === fires && timer.title) === true;
    }

    /** The names of the data and timers that the players' page draws; undefined if the state does not choose them. */
    drawnNames(state) {
        return this.#states.get(state)?.players;
    }

    /** The title of a datum; undefined if it has none. */
    datum(state, name) {
        return this.#states.get(state)?.data.find((each) => each.name === name)?.title;
    }

    /** The value of a datum as people read it: values and names that the flow declares, such as items of a checklist, as words. */
    datumInWords(state, name, value) {
        const { values, declared } = this.#states.get(state)?.data.find((each) => each.name === name) ?? {};
        return declared ? namesInWords(value) : inWords(value, values);
    }

    /** The value of an argument as people read it. */
    argumentInWords(event, name, value) {
        return inWords(value, this.#events.get(event)?.args.find((each) => each.name === name)?.values);
    }

    /** The title of an argument; undefined if it has none. */
    argument(event, name) {
        return this.#events.get(event)?.args.find((each) => each.name === name)?.title;
    }

    /** What a state shows to the players, as far as it does not depend on data: a title, a text, a picture, a sound, a video. */
    screen(state) {
        return this.#states.get(state)?.show ?? {};
    }

    /**
     * What a session, as `status` returns it, shows to the players. Its member `show` has all texts in the session's language,
     * also those that do not depend on data. A reader of another language gets these from the description.
     */
    screenOf({ state, show }) {
        const described = this.screen(state);
        return this.#isTranslated ? { ...show, ...described } : { ...described, ...show };
    }

    /** Whether the state's clock is the subject of the players' screen. */
    isClockSubject(state) {
        return this.#states.get(state)?.big === true;
    }

    get states() {
        return this.#flow?.states ?? [];
    }

    get events() {
        return this.#flow?.events ?? [];
    }

    /** What the flow's author tells operators about the whole flow; empty if the flow has no note. */
    get note() {
        return this.#flow?.note ?? "";
    }
}

function byName(list) {
    return new Map((list ?? []).map((each) => [each.name, each]));
}
