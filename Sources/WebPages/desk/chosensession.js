/**
 * The name of the session that the desk shows. The page's address contains it, so that a reload, a bookmark and the browser's
 * back button find the session again.
 */
export class ChosenSession {
    /** Null until a session is shown. */
    name = null;
    #onChoose;

    /** Calls `onChoose(name)` when another session is chosen, by the user or by the address. */
    constructor(onChoose) {
        this.#onChoose = onChoose;
        addEventListener("hashchange", () => this.#readAddress());
    }

    /**
     * Shows the session that the page's address names. If the address names none, shows the session `fallbackName`. If this
     * name is missing as well, shows no session.
     */
    showFirst(fallbackName) {
        const name = nameInAddress() ?? fallbackName;
        if (name === null || name === undefined) return;
        this.pick(name);
    }

    /** Shows a session. The address changes, but the browser's history gets no new entry. */
    pick(name) {
        if (nameInAddress() !== name) {
            history.replaceState(null, "", `#${new URLSearchParams({ session: name })}`);
        }
        this.#set(name);
    }

    #readAddress() {
        const name = nameInAddress();
        if (name !== null) this.#set(name);
    }

    #set(name) {
        if (name === this.name) return;
        this.name = name;
        this.#onChoose(name);
    }
}

function nameInAddress() {
    return new URLSearchParams(location.hash.slice(1)).get("session");
}
