import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { peerText } from "./clientrow.js";
import { Dialog } from "./dialog.js";

/** A dialog in which an operator confirms that the connection of a client is to be closed. */
export class DisconnectDialog {
    #dialog;
    #id = "";

    /** Calls `onDisconnected()` after a connection was closed. */
    constructor(onDisconnected) {
        const texts = { title: "Disconnect this client?", verb: "Disconnect it", isDangerous: true };
        this.#dialog = new Dialog(texts, async () => {
            await call("clients", { action: "kick", id: this.#id });
            onDisconnected();
        });
    }

    /** Opens the dialog for an entry of the result of the method `clients`. `ownName` is the identity of this page. */
    ask(client, ownName) {
        this.#id = client.id;
        const { principal } = client;
        const isToken = principal.startsWith("token:");
        const remedy = isToken ? "To keep it out, revoke its token." : "Only the rules keep it out.";
        const ownText = principal === ownName ? " It may be a connection of this page, which then connects again." : "";
        const consequences = ` (${peerText(client)}) loses its connection. It may connect again. ${remedy}${ownText}`;
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, principal), consequences));
        this.#dialog.ask();
    }
}
