import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { elapsedText } from "../shared/time.js";
import { InviteDialog } from "./invitedialog.js";
import { Poller } from "./poller.js";

/**
 * The browsers that follow the chosen session, the guests that are not connected, and the button that invites others.
 * The stream does not report them, so the page asks the server each second, as long as there is a screen or an
 * invitation.
 */

/** After the page has stopped asking, its next request comes at least this long after the last one. */
const minimumPauseMs = 1_000;

export class Screens {
    #element = find("#screens");
    #list = h("ul", { class: "lamps" });
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #chosen;
    #poller = new Poller(() => this.#ask());
    /** Counts the calls of `start`, `stop` and `#ask`, so that answers to earlier requests are ignored. */
    #generation = 0;
    #isOn = false;
    /** The value of performance.now() at the newest request. */
    #askedAt = -minimumPauseMs;
    #invite;

    /** Calls `onInvited()` after an invitation was made. */
    constructor(context, chosen, onInvited) {
        this.#invite = new InviteDialog(() => {
            this.start();
            onInvited();
        });
        [this.#context, this.#chosen] = [context, chosen];
        const title = h("h2", { id: "screens-title" }, "Screens");
        const onclick = () => this.#invite.ask(this.#chosen.name);
        const button = h("button", { type: "button", class: "quiet", onclick }, "Invite");
        const orders = h("fieldset", { class: "plain needs-connection", "aria-label": "Invite" }, button);
        this.#element.append(h("header", {}, title, orders), this.#list);
    }

    /** Called when the page has connected to the daemon. */
    start() {
        this.#generation += 1;
        this.#isOn = true;
        this.#poller.start();
    }

    stop() {
        this.#generation += 1;
        this.#isOn = false;
        this.#poller.stop();
    }

    /** Called when the session has changed, because there may be a new screen. Asks again if the page has stopped asking. */
    soon() {
        if (!this.#isOn && performance.now() - this.#askedAt > minimumPauseMs) this.start();
    }

    async #ask() {
        const { name } = this.#chosen;
        const mayAsk = name !== null && this.#context.rights.has("operate", name);
        this.#element.hidden = !mayAsk;
        if (!mayAsk) return this.stop();
        this.#askedAt = performance.now();
        const generation = ++this.#generation;
        try {
            const { screens, invitations } = await call("screens", { session: name });
            if (generation !== this.#generation) return;
            setChildren(this.#list, screens.map(row));
            if (screens.length === 0 && invitations === 0) this.stop();
        } catch {
            // The stream reports a lost connection, and the next answer is shown as usual.
        }
    }
}

function row({ name, as, role, address, connections, forMs }) {
    const isConnected = connections > 0;
    const line = h("li", {}, h("span", { class: "lamp" }), h("b", {}, as ?? name ?? address));
    line.dataset.state = isConnected ? "up" : "down";
    const time = forMs === undefined ? "" : ` for ${elapsedText(forMs)}`;
    const state = (isConnected ? "connected" : "disconnected") + time;
    const connectionCount = connections > 1 ? `${connections} connections` : null;
    const parts = [state, as === undefined ? null : name, role, address, connectionCount];
    line.append(...parts.filter(Boolean).map((text) => h("span", {}, text)));
    return line;
}
