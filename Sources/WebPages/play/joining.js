import { pageHeader } from "../shared/credential.js";
import { addStyles, at, find, h, setText } from "../shared/dom.js";
import { own } from "../shared/ownwords.js";
import { isBuzzer } from "./buzzers.js";

/*
 * How people join the session: a QR code, and an address with a code to type. The session's status has the link and the code while
 * the session is in a state with `join`.
 *
 * A page loads this file when a state has `join`, and this file loads its styles.
 */

addStyles(new URL("./joining.css", import.meta.url));

/**
 * The daemon may make the invitation a moment after the state was entered. The pauses become longer, because it may be unable to make
 * one.
 */
const minimumRetryMs = 2_000;
const maximumRetryMs = 60_000;

export class Joining {
    #presentSession;
    #context;
    #isWall;
    #picture = h("img", { alt: own`QR code of the address` });
    #address = h("p", { class: "join-address" });
    #code = h("p", { class: "join-code" });
    #element = h("div", { id: "joining", hidden: true }, this.#picture, h("div", {}, this.#address, this.#code));
    /** The link whose QR code is shown, or is being fetched; empty if none is. */
    #link = "";
    #timer = 0;
    #retryMs = minimumRetryMs;

    constructor(presentSession, context, isWall) {
        [this.#presentSession, this.#context, this.#isWall] = [presentSession, context, isWall];
        find("#board .facts").append(this.#element);
    }

    /** Shows how to join, if the present state says so. */
    async show() {
        clearTimeout(this.#timer);
        const { session, titles } = this.#presentSession;
        if (!session || !titles.screen(session.state).join) return this.hide();
        if (!this.#isWall && (await isBuzzer(session, this.#context.rights))) return this.hide();
        // Another state may have been entered meanwhile. Then `show` was called again.
        if (session !== this.#presentSession.session) return;
        const join = session.show?.join;
        if (!join) {
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.#presentSession.requestStatus(), this.#retryMs);
            this.#retryMs = Math.min(2 * this.#retryMs, maximumRetryMs);
            return;
        }
        this.#retryMs = minimumRetryMs;
        const { host, pathname } = new URL(join.link);
        setText(this.#address, host + pathname);
        setText(this.#code, `${join.code.slice(0, 3)} ${join.code.slice(3)}`);
        if (join.link !== this.#link) await this.#fetchPicture(session.session, join.link);
        this.#element.hidden = false;
    }

    hide() {
        clearTimeout(this.#timer);
        this.#retryMs = minimumRetryMs;
        this.#element.hidden = true;
    }

    async #fetchPicture(session, link) {
        this.#link = link;
        this.#picture.hidden = true;
        const response = await fetch(at(`join/${encodeURIComponent(session)}.svg`), { headers: pageHeader }).catch(() => null);
        if (link !== this.#link) return;
        // Without a picture, the code can still be typed. The next call tries again.
        if (!response?.ok) {
            this.#link = "";
            return;
        }
        URL.revokeObjectURL(this.#picture.src);
        this.#picture.src = URL.createObjectURL(await response.blob());
        this.#picture.hidden = false;
    }
}
