import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { ClientRow } from "./clientrow.js";
import { DisconnectDialog } from "./disconnectdialog.js";
import { Poller } from "./poller.js";

/**
 * The part of the desk that shows the connected clients: who they are, from where, with which role, what they watch, and how much
 * they send. Each client has a button that closes its connection. Only people who may operate every session see the clients. The
 * event stream does not report them, so the page asks the server each second, but only while the list is open.
 */
export class Clients {
    #element = find("#clients");
    #list = h("ul", { class: "lamps" });
    #details;
    /** An object that all parts of the desk share. This part uses the rights, and the identity of the page. */
    #context;
    /** The `DeskClock`. */
    #clock;
    #poller = new Poller(() => call("clients"), (answer) => this.#show(answer));
    /** The shown `ClientRow`s by the ids of the clients. A row stays the same element, so that its button keeps the focus. */
    #rows = new Map();
    #moreRow = h("li", {}, "There are more clients: these are the oldest connections.");
    #disconnectDialog = new DisconnectDialog(() => this.start());

    constructor(context, clock) {
        [this.#context, this.#clock] = [context, clock];
        const title = h("h2", { id: "clients-title" }, "Clients");
        this.#details = h("details", {}, h("summary", {}, title), this.#list);
        this.#details.addEventListener("toggle", () => this.start());
        this.#element.append(this.#details);
    }

    /** Called when the page has connected to the daemon, when the list is opened or folded, and after a client was disconnected. */
    start() {
        this.stop();
        this.#element.hidden = !this.#context.rights.hasEverywhere("operate");
        if (!this.#element.hidden && this.#details.open) this.#poller.start();
    }

    stop() {
        this.#poller.stop();
    }

    /** Shows the result of the method `clients`. If `more` is true, there are further clients. */
    #show({ clients, more }) {
        const rows = new Map(clients.map(({ id }) => [id, this.#rows.get(id) ?? this.#newRow()]));
        this.#rows = rows;
        for (const client of clients) rows.get(client.id).show(client, this.#clock.nowMs, this.#context.name);
        const elements = [...rows.values()].map(({ element }) => element);
        setChildren(this.#list, more ? [...elements, this.#moreRow] : elements);
    }

    #newRow() {
        return new ClientRow((client) => this.#disconnectDialog.ask(client, this.#context.name));
    }
}
