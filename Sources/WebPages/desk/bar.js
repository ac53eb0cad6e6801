import { one, say } from "../shared/dom.js";
import { makeSwitch } from "../shared/theme.js";

/** The title bar: the connection, the identity, and signing out. */
export class Bar {
    #link = one("#link");
    #who = one("#who");

    constructor(signOut) {
        one("#signout").addEventListener("click", signOut);
        makeSwitch(one("#theme"));
    }

    connecting() {
        this.#tell("connecting", "Connecting");
    }

    open(name, role) {
        this.#tell("open", "Live");
        // A page without a token has no name; a rule for all web clients lets it in.
        const who = name === undefined ? [] : [name.replace(/^(token|cert):/, "")];
        say(this.#who, [...who, role].join(" · "));
    }

    lost() {
        this.#tell("lost", "No connection");
    }

    #tell(state, text) {
        this.#link.dataset.link = state;
        say(one(".says", this.#link), text);
    }
}
