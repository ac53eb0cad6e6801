import { find, h, setText } from "./dom.js";
import { login, Refusal } from "./rpc.js";

/**
 * Signing in. A token comes with the address or is typed; it is exchanged for a cookie that scripts
 * cannot read.
 */

/** Returns the token in the address, and removes it from the address bar and the history; null without a token. */
export function takeToken() {
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
const goneText = "The token of this page is not known any more. Enter a new one.";
const inQueryText = "Write the token after # (#token=…) and not after ?, because browsers send and store the text after ?.";
const wrongText = "That token is not known here.";

/** The text for a user whose identity is known (403), but to whom no rule gives a role. */
const noRuleText = "No rule of gamed lets you watch. Ask the operator, or use another token.";

export class SignIn {
    #element = find("#signin");
    #page = find("#page");
    #field;
    #message;
    #button;
    #onSignIn;
    #retryTimer = 0;

    /** Calls `onSignIn()` when the page may read its data: after a sign-in, when the page is loaded, and at each retry. */
    constructor(onSignIn) {
        this.#onSignIn = onSignIn;
        const { field, message, button } = this.#build();
        [this.#field, this.#message, this.#button] = [field, message, button];
        addEventListener("hashchange", () => this.begin(false));
    }

    /** Signs in with the address's token. Without a token, a page that was just loaded uses the identity of its cookie. */
    async begin(isPageLoad = true) {
        if (new URLSearchParams(location.search).has("token")) {
            history.replaceState(null, "", location.pathname + location.hash);
            return this.show(inQueryText);
        }
        const token = takeToken();
        if (token !== null) await this.#signInWith(token);
        else if (isPageLoad) this.#onSignIn();
    }

    show(message = "") {
        for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
        this.#page.hidden = true;
        this.#element.hidden = false;
        setText(this.#message, message);
        this.#field.setAttribute("aria-invalid", String(message === wrongText));
        this.#field.focus();
    }

    /**
     * Shows the form, because the user may not see the page's contents. `wasSignedIn` tells whether the page has shown its
     * contents before. The page of a known identity (403) tries again every ten seconds, because the rules may change.
     */
    deny(status, wasSignedIn) {
        clearTimeout(this.#retryTimer);
        if (status === 403) this.#retryTimer = setTimeout(() => this.#retry(), retryMs);
        this.show(status === 403 ? noRuleText : wasSignedIn ? goneText : "");
    }

    /** Shows the form if the error means that the page lacks rights. Returns whether it does. For `wasSignedIn` see `deny`. */
    handleDenial(error, wasSignedIn) {
        if (!(error instanceof Refusal) || (error.status !== 401 && error.status !== 403)) return false;
        this.deny(error.status, wasSignedIn);
        return true;
    }

    /** Tries again, unless the user is typing a token. */
    #retry() {
        if (this.#field.value === "") this.#onSignIn();
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
        this.#button.disabled = true;
        try {
            const identity = await login(token);
            if (identity === null) return this.show(wrongText);
            this.#field.value = "";
            this.#onSignIn();
        } catch {
            this.show("gamed does not answer. Try again in a moment.");
        } finally {
            this.#button.disabled = false;
        }
    }

    #build() {
        const message = h("p", { id: "signin-message", class: "message", role: "alert" });
        const field = h("input", {
            id: "token",
            type: "password",
            autocomplete: "current-password",
            autocapitalize: "off",
            spellcheck: "false",
            required: true,
            "aria-describedby": "signin-message signin-help",
        });
        const button = h("button", { class: "primary", type: "submit" }, "Sign in");
        const help = h("p", { id: "signin-help", class: "help" }, "A token comes from ");
        help.append(h("code", {}, "gamectl token add NAME"), " where gamed runs.");
        help.append(". With a code of six letters and digits, ");
        help.append(h("a", { href: "/join" }, "join"), ".");
        const submit = (event) => {
            event.preventDefault();
            this.#signInWith(field.value.trim());
        };
        const label = h("label", { for: "token" }, "Token");
        const form = h("form", { onsubmit: submit }, label, field, message, button, help);
        find("#signin-form").replaceWith(form);
        return { field, message, button };
    }
}
