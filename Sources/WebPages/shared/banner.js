import { find, h, setText } from "./dom.js";
import { announce } from "./announce.js";

/*
 * The desk's banner: the connection is lost, and for how long. Screen readers announce the loss and the return, not the seconds.
 */

/** A connection that is back within this time is not reported as lost. */
const delayMs = 300;

export class Banner {
    #element = find("#banner");
    #duration = h("span");
    /** The value of performance.now() when the connection was lost; 0 while there is a connection. */
    #lostAt = 0;
    #timer = 0;
    #isShown = false;
    /** Whether there was a connection before. */
    #wasConnected = false;

    get isLost() {
        return this.#lostAt !== 0;
    }

    connectionLost() {
        if (this.isLost) return;
        this.#lostAt = performance.now();
        this.#timer = setTimeout(() => this.#show(), delayMs);
    }

    connectionOpened() {
        clearTimeout(this.#timer);
        this.#lostAt = 0;
        this.#wasConnected = true;
        this.#element.hidden = true;
        if (this.#isShown) announce("The connection is back.");
        this.#isShown = false;
    }

    /** The page does not try to connect, because the user must sign in. */
    hide() {
        clearTimeout(this.#timer);
        this.#lostAt = 0;
        this.#isShown = false;
        this.#element.hidden = true;
    }

    #show() {
        const [title, text] = this.#wasConnected
            ? ["Connection lost", "The page shows the state before the loss. It connects again by itself."]
            : ["No connection", "gamed does not answer. Trying again until it does."];
        const heading = h("strong", {}, title, this.#duration);
        this.#element.replaceChildren(heading, h("span", {}, text));
        this.#element.hidden = false;
        this.#isShown = true;
        announce(`${title}. ${text}`);
        this.#showSeconds();
    }

    #showSeconds() {
        const ms = performance.now() - this.#lostAt;
        setText(this.#duration, `, ${Math.floor(ms / 1000)} s`);
        this.#timer = setTimeout(() => this.#showSeconds(), 1000 - (ms % 1000));
    }
}
