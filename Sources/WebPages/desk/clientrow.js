import { h, setText } from "../shared/dom.js";
import { agoText } from "./instants.js";

/** The row of one connected client, with a button that closes its connection. */
export class ClientRow {
    /** The list item that shows the row. */
    element;
    #principal = h("b");
    #details = h("span");
    #watches = h("span");
    #counts = h("span");
    #button;
    /** The client as the newest call of `show` got it. */
    #client = null;

    /** Calls `disconnect(client)` when the user presses the button. */
    constructor(disconnect) {
        const onclick = () => disconnect(this.#client);
        this.#button = h("button", { type: "button", class: "quiet danger", onclick }, "Disconnect");
        const controls = h("fieldset", { class: "plain needs-connection" }, this.#button);
        const texts = h("p", {}, this.#principal, this.#details, this.#watches, this.#counts);
        this.element = h("li", {}, texts, controls);
    }

    /**
     * Shows a client, which is an entry of the result of the method `clients`. `nowMs` is the time of the daemon's clock, and
     * `ownName` is the identity of this page.
     */
    show(client, nowMs, ownName) {
        this.#client = client;
        const { id, kind, principal, sinceMs, role } = client;
        this.element.dataset.client = id;
        setText(this.#principal, principal);
        const ownText = principal === ownName && "this page's identity";
        // Each request over HTTP has its own token, so such a connection may have no role.
        const details = [kind, peerText(client), role, `for ${agoText(nowMs - sinceMs)}`, ownText];
        setText(this.#details, details.filter(Boolean).join(" · "));
        setText(this.#watches, watchesText(client));
        setText(this.#counts, countsText(client));
        this.#button.setAttribute("aria-label", `Disconnect ${principal}, ${peerText(client)}`);
    }
}

/** The process or the address of a client. */
export function peerText({ peer: { pid, address } }) {
    return pid === undefined ? (address ?? "no address") : `pid ${pid}`;
}

/** What a client watches: sessions with topics. Empty if it watches nothing. */
function watchesText({ watches, moreWatches }) {
    if (watches.length === 0) return "";
    const texts = watches.map(({ session, topics }) => `${session === "*" ? "all sessions" : session} (${topics.join(", ")})`);
    const more = moreWatches === undefined ? "" : ` and ${moreWatches} more`;
    return `watches ${texts.join(", ")}${more}`;
}

/** How much a client has sent in the last minute, how much it has not read, and how many of its requests wait. */
function countsText({ requests, refusals, unreadBytes, held }) {
    const counts = [
        `${requests} ${requests === 1 ? "request" : "requests"} a minute`,
        refusals > 0 && `${refusals} refused`,
        unreadBytes > 0 && `${unreadBytes} bytes unread`,
        held > 0 && `${held} held`,
    ];
    return counts.filter(Boolean).join(", ");
}
