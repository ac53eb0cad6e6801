import { h, one, say } from "./dom.js";
import { announce } from "./announce.js";

/**
 * Shows that the connection is lost, and for how long. The counting seconds are hidden from screen
 * readers, which announce the loss and the return once each.
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
        // A connection that is back within this time is not reported as lost.
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

    /** Hides the banner: no connection is wanted. */
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
