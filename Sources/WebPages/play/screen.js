import { find, setText } from "../shared/dom.js";
import { announce } from "../shared/announce.js";

/*
 * What the page shows instead of the board while it has no session or no connection: a title and a sentence in large
 * letters.
 */

/** A connection that is back within this time is not reported as lost. */
const delayMs = 400;

export class Screen {
    #element = find("#screen");
    #board = find("#board");
    /** The value of performance.now() when the connection was lost; 0 while there is a connection. */
    #lostAt = 0;
    #timer = 0;
    /** Whether the loss of the connection was announced. */
    #isLossAnnounced = false;

    constructor(name) {
        setText(find(".name", this.#element), name);
    }

    /** Shows a title and a sentence. */
    show(title, text) {
        this.#stop();
        this.#isLossAnnounced = false;
        setText(find(".count", this.#element), "");
        this.#put(title, text);
    }

    /** Shows that the connection is lost, and for how long. */
    lost() {
        if (this.#lostAt !== 0) return;
        this.#lostAt = performance.now();
        this.#timer = setTimeout(() => {
            this.#put("Connection lost", "The page connects again by itself. Please wait.");
            this.#isLossAnnounced = true;
            this.#count();
        }, delayMs);
    }

    hide() {
        this.#stop();
        if (this.#isLossAnnounced) announce("The connection is back.");
        this.#isLossAnnounced = false;
        this.#element.hidden = true;
        this.#board.inert = false;
    }

    #stop() {
        clearTimeout(this.#timer);
        this.#lostAt = 0;
    }

    #put(title, text) {
        const heading = find("h1", this.#element);
        if (this.#element.hidden || heading.textContent !== title) announce(`${title}. ${text}`);
        setText(heading, title);
        setText(find(".text", this.#element), text);
        this.#element.hidden = false;
        this.#board.inert = true;
    }

    #count() {
        const ms = performance.now() - this.#lostAt;
        setText(find(".count", this.#element), `${Math.floor(ms / 1000)} s`);
        this.#timer = setTimeout(() => this.#count(), 1000 - (ms % 1000));
    }
}
