import { h } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";

/** A dialog in which an operator confirms that a token is to be revoked. */
export class RevokeDialog {
    #dialog;
    #name = "";

    /** `texts` are the texts of the `Dialog`. Calls `onRevoked()` after a token was revoked. */
    constructor(texts, onRevoked) {
        this.#dialog = new Dialog({ ...texts, isDangerous: true }, async () => {
            await call("token", { action: "remove", name: this.#name });
            onRevoked();
        });
    }

    /** Opens the dialog for the token `name`. The text is `subject`, in bold letters, followed by `consequences`. */
    ask(name, subject, consequences) {
        this.#name = name;
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, subject), consequences));
        this.#dialog.ask();
    }
}
