import { find, setText } from "../shared/dom.js";
import { makeThemeSwitch } from "../shared/theme.js";

/** The title bar: the connection, the identity, and signing out. */
export class Bar {
    #connectionState = find("#connection-state");
    #identity = find("#identity");

    constructor(signOut) {
        find("#signout").addEventListener("click", signOut);
        makeThemeSwitch(find("#theme"));
    }

    connecting() {
        this.#showConnection("connecting", "Connecting");
    }

    open(name, role) {
        this.#showConnection("open", "Live");
        // A page without a token has no name. A rule for all web clients gives it its role.
        const names = name === undefined ? [] : [name.replace(/^(token|cert):/, "")];
        setText(this.#identity, [...names, role].join(" · "));
    }

    lost() {
        this.#showConnection("lost", "No connection");
    }

    #showConnection(state, text) {
        this.#connectionState.dataset.state = state;
        setText(find(".lamp-text", this.#connectionState), text);
    }
}
