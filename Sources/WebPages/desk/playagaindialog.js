import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** Asks an operator for confirmation, and opens a session again. The server keeps its flow, settings and labels. */
export class PlayAgainDialog {
    #dialog;
    #session = null;

    constructor() {
        const texts = { title: "Start this session again?", verb: "Start again" };
        this.#dialog = new Dialog(texts, () => this.#open());
    }

    /** Opens the dialog for a session, which is a result of the method `status`. */
    ask(session) {
        this.#session = session;
        const consequences = session.final
            ? " starts from the beginning. Undo cannot bring the finished game back."
            : " is played now. It ends, and starts from the beginning. Undo cannot bring this game back.";
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, session.session), consequences));
        this.#dialog.ask();
    }

    #open() {
        return call("open", { session: this.#session.session, again: true });
    }
}
