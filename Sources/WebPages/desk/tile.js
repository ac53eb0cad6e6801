import { clocksOf } from "../shared/clocks.js";
import { h, say } from "../shared/dom.js";
import { level } from "../shared/ring.js";
import { digits } from "../shared/time.js";

/** One session among the tiles: its name, its state, and the clock that ends first. */
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

    /** `at` is the value of performance.now() at which the timers of `session` were read. */
    show(session, titles, at) {
        [this.#session, this.#receivedAt] = [session, at];
        say(this.#flow, titles.flow(session.flow));
        say(this.#state, titles.state(session.state));
    }

    /** Shows the remaining time; `isMoving` if the time moves by itself. */
    draw(isMoving) {
        const clock = this.#session && firstOf(clocksOf(this.#session));
        const passed = clock && isMoving && !clock.paused ? performance.now() - this.#receivedAt : 0;
        const remainingMs = clock ? Math.max(0, clock.remainingMs - passed) : null;
        say(this.#digits, remainingMs === null ? "" : digits(remainingMs));
        const mark = this.#mark(clock, remainingMs);
        say(this.#note, notes[mark] ?? "");
        this.element.dataset.mark = mark;
    }

    #mark(clock, remainingMs) {
        if (this.#session?.storage) return "storage";
        if (this.#session?.final) return "final";
        if (!clock) return "calm";
        if (clock.paused) return "paused";
        return level(remainingMs, clock.totalMs);
    }
}

const notes = { storage: "nothing changes now", final: "finished", paused: "paused", last: "last seconds" };

/** The countdown that ends first. */
function firstOf(clocks) {
    const countdowns = clocks.filter(({ kind }) => kind === "countdown");
    return countdowns.sort((a, b) => a.remainingMs - b.remainingMs)[0] ?? null;
}
