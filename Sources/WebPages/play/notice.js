import { find, h } from "../shared/dom.js";

/*
 * A brief message above the board: why the player's event was refused, and which player was first.
 */

const shownMs = 5_000;

export class Notice {
    #element = find("#notice");
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
