import { find, setText } from "../shared/dom.js";
import { makeThemeSwitch } from "../shared/theme.js";

/** The title bar: the state of the connection, the identity and role of the page, the theme, and the button to sign out. */
export class Bar {
    #connectionState = find("#connection-state");
    #identity = find("#identity");

    /** Calls `signOut()` when the user clicks "Sign out". */
    constructor(signOut) {
        find("#signout").addEventListener("click", signOut);
        makeThemeSwitch(find("#theme"));
    }

    /** Shows that the page is connecting to the daemon. */
    connecting() {
        this.#showConnection("connecting", "Connecting");
    }

    /** Shows that the connection is open. `name` is an identity such as `token:desk`; undefined for a page without one. */
    open(name, role) {
        this.#showConnection("open", "Live");
        // A page without an identity has its role from a rule for all web clients.
        const names = name === undefined ? [] : [name.replace(/^(token|cert):/, "")];
        setText(this.#identity, [...names, role].join(" · "));
    }

    /** Shows that the connection is lost. */
    lost() {
        this.#showConnection("lost", "No connection");
    }

    #showConnection(state, text) {
        this.#connectionState.dataset.state = state;
        setText(find(".lamp-text", this.#connectionState), text);
    }
}
