import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** Asks for confirmation, and opens a finished session again with its flow, settings and labels, but without its notes. */
export class PlayAgainDialog {
    #dialog;
    #session = null;

    constructor() {
        const words = { title: "Play this session again?", verb: "Start again" };
        this.#dialog = new Dialog(words, () => this.#open());
    }

    ask(session) {
        this.#session = session;
        const text = " starts from the beginning. Undo cannot bring the finished game back.";
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, session.session), text));
        this.#dialog.ask();
    }

    #open() {
        const { session, flow, settings = {}, labels = {} } = this.#session;
        // The notes are about the finished game.
        const { _notes, ...otherLabels } = labels;
        return call("open", { session, flow, settings, labels: otherLabels, again: true });
    }
}
