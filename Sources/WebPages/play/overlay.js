import { addStyles, find, h } from "../shared/dom.js";
import { elementAddress } from "../shared/elementaddress.js";

/*
 * The page as an overlay of a video: transparent, without controls and sound. With `?page=FILE.html` it shows an operator's own
 * page in a frame, and passes it the snapshot and the changes. The frame has no origin, and so neither cookie nor requests.
 *
 * A page loads this file when its address begins with `/overlay/`, and this file loads its styles.
 */

addStyles(new URL("./overlay.css", import.meta.url));

export class Overlay {
    /** The frame with the own page; null without one. */
    #frame = null;
    /** The messages for the own page until it has loaded; null afterwards. */
    #waiting = [];

    constructor(file) {
        document.documentElement.classList.add("overlay");
        if (file === null) return;
        this.#frame = h("iframe", { title: file, sandbox: "allow-scripts", src: elementAddress(file) });
        this.#frame.addEventListener("load", () => this.#flush());
        document.documentElement.classList.add("own");
        find("#page").append(this.#frame);
    }

    /** Passes an event of the stream to the own page. */
    pass(method, params) {
        if (this.#frame === null) return;
        if (this.#waiting) this.#waiting.push({ method, params });
        else this.#post({ method, params });
    }

    #flush() {
        const messages = this.#waiting ?? [];
        this.#waiting = null;
        messages.forEach((message) => this.#post(message));
    }

    /** The origin of the frame is opaque, so it cannot be named. */
    #post(message) {
        this.#frame.contentWindow.postMessage(message, "*");
    }
}
