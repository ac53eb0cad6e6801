import { find, h } from "../shared/dom.js";
import { own } from "../shared/ownwords.js";
import { hintFor } from "../shared/rpc.js";

/*
 * A brief message above the board: why the player's event was refused, and which player was first.
 */

const shownMs = 5_000;

/** The title and text for a missing answer. Not with the other texts of players, which cannot be loaded without a connection. */
export function noAnswerMessage(error) {
    const text = hintFor(error) === "" ? own`Please try again.` : own`Please close other tabs of this browser, or try again.`;
    return { title: own`No answer`, text };
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
