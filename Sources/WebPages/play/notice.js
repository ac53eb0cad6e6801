import { h, one } from "../shared/dom.js";

/*
 * A brief message over the board: a refusal, and who was first.
 */

const shownMs = 5_000;

export class Notice {
    #element = one("#notice");
    #timer = 0;

    clear() {
        clearTimeout(this.#timer);
        this.#element.replaceChildren();
    }

    show({ title, text }) {
        clearTimeout(this.#timer);
        this.#element.replaceChildren(h("strong", {}, title), text ? h("span", {}, text) : "");
        this.#timer = setTimeout(() => this.clear(), shownMs);
    }
}
