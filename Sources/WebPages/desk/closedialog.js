import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** Asks for confirmation and closes the session. */
export class CloseDialog {
    #dialog;
    #name = "";

    constructor() {
        const words = { title: "Close this session?", verb: "Close it", isDangerous: true };
        this.#dialog = new Dialog(words, () => call("close", { session: this.#name }));
    }

    ask(name) {
        this.#name = name;
        const text = " ends here. Its timers stop, and the players' screens show that it is closed.";
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, name), text));
        this.#dialog.ask();
    }
}
