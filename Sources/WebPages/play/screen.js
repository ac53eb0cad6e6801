import { one, say } from "../shared/dom.js";
import { announce } from "../shared/announce.js";

/**
 * What the page shows instead of the board while there is no session: a title and a sentence in large
 * letters.
 */
const patienceMs = 400;

export class Screen {
    #element = one("#screen");
    #board = one("#board");
    #since = 0;
    #timer = 0;
    /** Whether the loss of the connection was announced. */
    #isLossSaid = false;

    constructor(name) {
        say(one(".name", this.#element), name);
    }

    /** Shows a title and a sentence. */
    tell(title, text) {
        this.#stop();
        this.#isLossSaid = false;
        say(one(".count", this.#element), "");
        this.#put(title, text);
    }

    /** Shows that the connection is lost, and for how long. */
    lost() {
        if (this.#since !== 0) return;
        this.#since = performance.now();
        this.#timer = setTimeout(() => {
            this.#put("Connection lost", "It comes back by itself. Please wait.");
            this.#isLossSaid = true;
            this.#count();
        }, patienceMs);
    }

    rest() {
        this.#stop();
        if (this.#isLossSaid) announce("The connection is back.");
        this.#isLossSaid = false;
        this.#element.hidden = true;
        this.#board.inert = false;
    }

    #stop() {
        clearTimeout(this.#timer);
        this.#since = 0;
    }

    #put(title, text) {
        const heading = one("h1", this.#element);
        if (this.#element.hidden || heading.textContent !== title) announce(`${title}. ${text}`);
        say(heading, title);
        say(one(".text", this.#element), text);
        this.#element.hidden = false;
        this.#board.inert = true;
    }

    #count() {
        const ms = performance.now() - this.#since;
        say(one(".count", this.#element), `${Math.floor(ms / 1000)} s`);
        this.#timer = setTimeout(() => this.#count(), 1000 - (ms % 1000));
    }
}
