import { find, h } from "../shared/dom.js";
import { hintFor } from "../shared/rpc.js";

/*
 * A brief message above the board: why the player's event was refused, and which player was first.
 */

const shownMs = 5_000;

/** The title and text for a missing answer. Not with the other texts of players, which cannot be loaded without a connection. */
export function noAnswerMessage(error) {
    return { title: "No answer", text: `Please ${hintFor(error)}try again.` };
}

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
