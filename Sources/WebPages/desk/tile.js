import { shownTimersOf } from "../shared/showntimers.js";
import { h, setText } from "../shared/dom.js";
import { urgency } from "../shared/ring.js";
import { remainingText } from "../shared/time.js";

/** One session among the tiles: its name, its state, and the timer that ends first. */
export class Tile {
    element;
    #name;
    #flow = h("span", { class: "flow" });
    #state = h("strong", { class: "state" });
    #digits = h("span", { class: "digits" });
    #note = h("span", { class: "note" });
    #session = null;
    #receivedAt = 0;

    constructor(name) {
        this.#name = h("span", { class: "name", title: name }, name);
        const href = `#${new URLSearchParams({ session: name })}`;
        const parts = [this.#name, this.#flow, this.#state, this.#digits, this.#note];
        const link = h("a", { href }, parts);
        link.dataset.session = name;
        this.element = h("li", {}, link);
    }

    /** `receivedAt` is the value of performance.now() at which `session` was received. */
    show(session, titles, receivedAt) {
        [this.#session, this.#receivedAt] = [session, receivedAt];
        setText(this.#flow, titles.flow(session.flow));
        setText(this.#state, titles.state(session.state));
    }

    /** Shows the remaining time; `isMoving` is false if the clock of the daemon is virtual or the connection is lost. */
    draw(isMoving) {
        const timer = this.#session && firstCountdownOf(shownTimersOf(this.#session));
        const passed = timer && isMoving && !timer.paused ? performance.now() - this.#receivedAt : 0;
        const remainingMs = timer ? Math.max(0, timer.remainingMs - passed) : null;
        setText(this.#digits, remainingMs === null ? "" : remainingText(remainingMs));
        const mark = this.#mark(timer, remainingMs);
        setText(this.#note, notes[mark] ?? "");
        this.element.dataset.mark = mark;
    }

    /** The mark that decides the colour and the note of the tile; see `tiles.css`. */
    #mark(timer, remainingMs) {
        if (this.#session?.storage) return "storage";
        if (this.#session?.final) return "final";
        if (!timer) return "calm";
        if (timer.paused) return "paused";
        return urgency(remainingMs, timer.totalMs);
    }
}

const notes = { storage: "nothing changes now", final: "finished", paused: "paused", last: "last seconds" };

/** The countdown that ends first; null without countdowns. */
function firstCountdownOf(timers) {
    const countdowns = timers.filter(({ kind }) => kind === "countdown");
    return countdowns.sort((a, b) => a.remainingMs - b.remainingMs)[0] ?? null;
}
