import { h, setChildren, setText } from "../shared/dom.js";
import { elapsedText } from "../shared/time.js";

/** The row of one browser or guest. It stays the same element, so that its button can be pressed while the time goes on. */
export class ScreenRow {
    element;
    #title = h("b");
    #details = h("span", { class: "details" });
    #controls;

    /** Calls `onTakeOut(person)` when the button of a guest is pressed; `person` is what the row calls the guest. */
    constructor(onTakeOut) {
        const onclick = () => onTakeOut(this.#title.textContent);
        const button = h("button", { type: "button", class: "quiet danger", onclick }, "Take out");
        this.#controls = h("fieldset", { class: "plain needs-connection" }, button);
        this.element = h("li", {}, h("span", { class: "lamp" }), this.#title, this.#details, this.#controls);
    }

    /**
     * Shows an entry of the result of the method `screens`. `player` is the name that a guest has typed. `name` is an identity, and
     * `as` is the name of an invited person. `forMs` is the age of the oldest open connection. Without an open connection, it is the time
     * since the last connection ended. `mayRevoke`: the page may revoke the tokens of guests.
     */
    show({ name, as, role, address, connections, forMs, guest = false }, player, mayRevoke) {
        const isConnected = connections > 0;
        const person = as ?? player;
        this.element.dataset.state = isConnected ? "up" : "down";
        setText(this.#title, person ?? name ?? address);
        const time = forMs === undefined ? "" : ` for ${elapsedText(forMs)}`;
        const state = (isConnected ? "connected" : "disconnected") + time;
        const connectionCount = connections > 1 ? `${connections} connections` : null;
        const parts = [state, person === undefined ? null : name, role, address, connectionCount].filter(Boolean);
        this.#controls.hidden = !guest || !mayRevoke;
        this.#controls.firstChild.setAttribute("aria-label", `Take out ${this.#title.textContent}`);
        setChildren(this.#details, parts.map((text) => h("span", {}, text)));
    }
}
