import { find, setText } from "../shared/dom.js";
import { announce } from "../shared/announce.js";
import { own } from "../shared/ownwords.js";

/* What covers the board while there is no session or no connection: a title and a sentence. */

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

    show(title, text) {
        this.#stopCounting();
        this.#isLossAnnounced = false;
        setText(find(".count", this.#element), "");
        this.#cover(title, text);
    }

    /** Shows after `delayMs` that the connection is lost, and for how long. */
    connectionLost() {
        if (this.#lostAt !== 0) return;
        this.#lostAt = performance.now();
        this.#timer = setTimeout(() => {
            this.#cover(own`Connection lost`, own`The page connects again by itself. Please wait.`);
            this.#isLossAnnounced = true;
            this.#showSeconds();
        }, delayMs);
    }

    hide() {
        this.#stopCounting();
        if (this.#isLossAnnounced) announce(own`The connection is back.`);
        this.#isLossAnnounced = false;
        this.#element.hidden = true;
        this.#board.inert = false;
    }

    #stopCounting() {
        clearTimeout(this.#timer);
        this.#lostAt = 0;
    }

    #cover(title, text) {
        const heading = find("h1", this.#element);
        if (this.#element.hidden || heading.textContent !== title) announce(`${title}. ${text}`);
        setText(heading, title);
        setText(find(".text", this.#element), text);
        this.#element.hidden = false;
        this.#board.inert = true;
    }

    #showSeconds() {
        const ms = performance.now() - this.#lostAt;
        setText(find(".count", this.#element), `${Math.floor(ms / 1000)} s`);
        this.#timer = setTimeout(() => this.#showSeconds(), 1000 - (ms % 1000));
    }
}
