import { find } from "./dom.js";
import { lazily } from "./lazily.js";
import { login, Refusal } from "./rpc.js";

/* Signing in. The token is in the address or is typed; the page exchanges it for a cookie that scripts cannot read. */

/** Removes the token from the address and the history, and returns it; null without a token. */
function takeToken() {
    const fragment = new URLSearchParams(location.hash.slice(1));
    const token = fragment.get("token");
    if (token === null) return null;
    fragment.delete("token");
    const remaining = fragment.toString();
    const address = location.pathname + location.search + (remaining === "" ? "" : `#${remaining}`);
    history.replaceState(null, "", address);
    return token;
}

const retryMs = 10_000;
export class SignIn {
    #element = find("#signin");
    #page = find("#page");
    #onSignIn;
    /** Loads the `SignInForm`, which most visits do not need. */
    #loadForm = lazily(async () => {
        const { SignInForm } = await import("./signinform.js");
        this.#form = new SignInForm((token) => this.#signInWith(token));
        return this.#form;
    });
    /** The form; null until it is loaded. */
    #form = null;
    #retryTimer = 0;

    /**
     * Calls `onSignIn()` when the page must try to read its data. These are the times: the page was loaded, the user has signed
     * in, or a retry is due.
     */
    constructor(onSignIn) {
        this.#onSignIn = onSignIn;
        addEventListener("hashchange", () => this.begin({ isPageLoad: false }));
    }

    /** Signs in with the address's token. Without a token, a page that was just loaded uses its cookie. */
    async begin({ isPageLoad } = { isPageLoad: true }) {
        if (new URLSearchParams(location.search).has("token")) {
            history.replaceState(null, "", location.pathname + location.hash);
            return this.show("tokenInQuery");
        }
        const token = takeToken();
        if (token !== null) await this.#signInWith(token);
        else if (isPageLoad) this.#onSignIn();
    }

    /** Shows the form with what is wrong: a name of the form's problems, or a sentence of the server. */
    async show(problem) {
        for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
        this.#page.hidden = true;
        this.#element.hidden = false;
        const form = await this.#loadForm();
        form?.show(problem);
    }

    /**
     * Shows the form: the user may not see the page. `wasSignedIn`: it was shown before. With a known identity (403), tries again
     * every ten seconds, because the rules may change.
     */
    deny(status, wasSignedIn) {
        clearTimeout(this.#retryTimer);
        if (status === 403) this.#retryTimer = setTimeout(() => this.#retry(), retryMs);
        this.show(status === 403 ? "noRule" : wasSignedIn ? "tokenGone" : "none");
    }

    /** Calls `deny` and returns true if the error means that the page lacks rights. */
    handleDenial(error, wasSignedIn) {
        if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) return false;
        this.deny(error.status, wasSignedIn);
        return true;
    }

    /** Tries again, unless the user is typing a token. */
    #retry() {
        if (!this.#form?.hasText) this.#onSignIn();
        else this.#retryTimer = setTimeout(() => this.#retry(), retryMs);
    }

    get isShown() {
        return !this.#element.hidden;
    }

    hide() {
        this.#element.hidden = true;
        this.#page.hidden = false;
    }

    async #signInWith(token) {
        this.#form?.setBusy(true);
        try {
            const identity = await login(token);
            if (identity === null) return this.show("wrongToken");
            this.#form?.clear();
            this.#onSignIn();
        } catch (error) {
            this.show(error.data?.why ?? "noAnswer");
        } finally {
            this.#form?.setBusy(false);
        }
    }
}
