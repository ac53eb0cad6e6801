import { h, setText } from "../shared/dom.js";
import { firesOnce, urgency } from "../shared/ring.js";
import { remainingText } from "../shared/time.js";
import { shownTimersOf } from "./showntimers.js";
import { teamText } from "./teamtext.js";

/**
 * The tile of one session in the overview. It shows the session's name, its labels `title` and `team`, its flow and state, and
 * the remaining time of the countdown that ends first.
 */
export class Tile {
    element;
    #nameElement;
    #team = h("span", { class: "team" });
    #flow = h("span", { class: "flow" });
    #state = h("strong", { class: "state" });
    #remainingTime = h("span", { class: "digits" });
    #markText = h("span", { class: "note" });
    /** What was not done in this session; hidden if there is no alert. */
    #alert = h("span", { class: "alert", hidden: "" });
    /** The session, as the daemon has reported it; null until then. */
    #session = null;
    /** The value of performance.now() at which the session was received. */
    #receivedAtMs = 0;

    constructor(name) {
        this.#nameElement = h("span", { class: "name" }, name);
        const href = `#${new URLSearchParams({ session: name })}`;
        const parts = [this.#nameElement, this.#team, this.#flow, this.#state, this.#remainingTime, this.#markText, this.#alert];
        const link = h("a", { href }, parts);
        link.dataset.session = name;
        this.element = h("li", {}, link);
    }

    /** `receivedAtMs` is the value of performance.now() at which `session` was received. Call `showTitles` afterwards. */
    show(session, receivedAtMs) {
        [this.#session, this.#receivedAtMs] = [session, receivedAtMs];
        setText(this.#team, teamText(session));
    }

    /** Shows what was not done; an empty text if there is no alert. */
    showAlert(text) {
        this.#alert.hidden = text === "";
        setText(this.#alert, text);
        this.element.dataset.alert = String(text !== "");
    }

    /** The name of the session's flow; undefined until a session was shown. */
    get flow() {
        return this.#session?.flow;
    }

    /** Shows the titles of the flow and the state of the session. */
    showTitles(titles) {
        setText(this.#flow, titles.flow(this.#session.flow));
        setText(this.#state, titles.state(this.#session.state));
    }

    /** Shows the remaining time and the mark. `isMoving` is false if the daemon's clock is virtual. */
    draw(isMoving) {
        const timer = this.#session && firstCountdownOf(shownTimersOf(this.#session));
        const elapsedMs = timer && isMoving && !timer.paused ? performance.now() - this.#receivedAtMs : 0;
        const leastMs = timer?.overtime ? -Infinity : 0;
        const remainingMs = timer ? Math.max(leastMs, timer.remainingMs - elapsedMs) : null;
        setText(this.#remainingTime, remainingMs === null ? "" : remainingText(remainingMs));
        const mark = this.#markOf(timer, remainingMs);
        setText(this.#markText, markTexts[mark] ?? "");
        this.element.dataset.mark = mark;
    }

    /** The mark: what is special about the session. It decides the colour of the tile, in `tiles.css`, and its short text. */
    #markOf(timer, remainingMs) {
        if (this.#session?.storage) return "storage";
        if (this.#session?.final) return "final";
        if (!timer) return "calm";
        if (timer.paused) return "paused";
        return urgency(remainingMs, timer.totalMs);
    }
}

/** What a tile says about its session, by mark. The marks `calm` and `soon`, which `urgency` returns, have no text. */
const markTexts = { storage: "nothing changes now", final: "finished", paused: "paused", last: "last seconds" };

/** The timer that fires once and ends first; null without such a timer. */
function firstCountdownOf(timers) {
    const countdowns = timers.filter(firesOnce);
    return countdowns.sort((a, b) => a.remainingMs - b.remainingMs)[0] ?? null;
}
