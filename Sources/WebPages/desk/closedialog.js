import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** A dialog in which an operator confirms that a session is to be closed. */
export class CloseDialog {
    #dialog;
    #sessionName = "";

    constructor() {
        const texts = { title: "Close this session?", verb: "Close it", isDangerous: true };
        this.#dialog = new Dialog(texts, () => call("close", { session: this.#sessionName }));
    }

    /** Shows the dialog for a session. */
    ask(sessionName) {
        this.#sessionName = sessionName;
        const consequences = " ends here. Its timers stop, and the players' screens show that it is closed.";
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, sessionName), consequences));
        this.#dialog.ask();
    }
}
