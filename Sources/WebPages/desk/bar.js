import { one, setText } from "../shared/dom.js";
import { makeSwitch } from "../shared/theme.js";

/** The title bar: the connection, the identity, and signing out. */
export class Bar {
    #link = one("#link");
    #identity = one("#who");

    constructor(signOut) {
        one("#signout").addEventListener("click", signOut);
        makeSwitch(one("#theme"));
    }

    connecting() {
        this.#showLink("connecting", "Connecting");
    }

    open(name, role) {
        this.#showLink("open", "Live");
        // A page without a token has no name. A rule for all web clients gives it its role.
        const names = name === undefined ? [] : [name.replace(/^(token|cert):/, "")];
        setText(this.#identity, [...names, role].join(" · "));
    }

    lost() {
        this.#showLink("lost", "No connection");
    }

    #showLink(state, text) {
        this.#link.dataset.link = state;
        setText(one(".says", this.#link), text);
    }
}
