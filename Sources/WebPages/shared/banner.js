import { h, one, say } from "./dom.js";
import { announce } from "./announce.js";

/**
 * Says that the connection is lost, and for how long. The seconds that count up are for the eyes
 * only: a voice hears of the loss once, and of the return.
 */
const patienceMs = 300;

export class Banner {
    #element = one("#banner");
    #for = h("span", { class: "for" });
    #since = 0;
    #timer = 0;
    #isShown = false;
    #wasOpen = false;

    get isLost() {
        return this.#since !== 0;
    }

    lost() {
        if (this.isLost) return;
        this.#since = performance.now();
        // A connection that comes right back is not worth a word.
        this.#timer = setTimeout(() => this.#show(), patienceMs);
    }

    open() {
        clearTimeout(this.#timer);
        this.#since = 0;
        this.#wasOpen = true;
        this.#element.hidden = true;
        if (this.#isShown) announce("The connection is back.");
        this.#isShown = false;
    }

    /** Nothing to say: nobody is connected, and nobody wants to be. */
    rest() {
        clearTimeout(this.#timer);
        this.#since = 0;
        this.#isShown = false;
        this.#element.hidden = true;
    }

    #show() {
        const [title, text] = this.#wasOpen
            ? ["Connection lost", "What stands here is as it was then. It comes back by itself."]
            : ["No connection", "gamed does not answer. Trying again until it does."];
        const first = h("strong", {}, title, this.#for);
        this.#element.replaceChildren(first, h("span", {}, text));
        this.#element.hidden = false;
        this.#isShown = true;
        announce(`${title}. ${text}`);
        this.#count();
    }

    #count() {
        const ms = performance.now() - this.#since;
        say(this.#for, `, ${Math.floor(ms / 1000)} s`);
        this.#timer = setTimeout(() => this.#count(), 1000 - (ms % 1000));
    }
}
