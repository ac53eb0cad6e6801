import { addStyles, at, find, h, setText } from "./dom.js";
import { own } from "./ownwords.js";

/* The form in which a token is typed. A page loads this file when it needs the form, and this file loads its styles. */

addStyles(new URL("./signin.css", import.meta.url));

/** What the form says, by the name of the problem. */
const problemTexts = () => ({
    none: "",
    noAnswer: own`gamed does not answer. Try again in a moment.`,
    // The user's identity is known (403), but no rule gives it a role.
    noRule: own`No rule of gamed lets you watch. Ask the operator, or use another token.`,
    tokenGone: own`The token of this page is not known any more. Enter a new one.`,
    tokenInQuery: own`Write the token after # (#token=…) and not after ?, because browsers send and store the text after ?.`,
    wrongToken: own`That token is not known here.`,
});

export class SignInForm {
    #message = h("p", { id: "signin-message", class: "message", role: "alert" });
    #field = h("input", {
        id: "token",
        type: "password",
        autocomplete: "current-password",
        autocapitalize: "off",
        spellcheck: "false",
        required: true,
        "aria-describedby": "signin-message signin-help",
    });
    #button = h("button", { class: "primary", type: "submit" }, own`Sign in`);

    /** Calls `onSubmit(token)` when a token is typed. */
    constructor(onSubmit) {
        const help = h("p", { id: "signin-help", class: "help" }, own`A token comes from` + " ");
        help.append(h("code", {}, "gamectl token add NAME"), " " + own`where gamed runs.`);
        help.append(" " + own`With a code of six letters and digits,` + " ");
        help.append(h("a", { href: at("join") }, own`join`), ".");
        const submit = (event) => {
            event.preventDefault();
            onSubmit(this.#field.value.trim());
        };
        const label = h("label", { for: "token" }, own`Token`);
        const form = h("form", { onsubmit: submit }, label, this.#field, this.#message, this.#button, help);
        find("#signin-form").replaceWith(form);
    }

    /** Shows a problem: its name, or a sentence of the server. */
    show(problem) {
        setText(this.#message, problemTexts()[problem] ?? problem);
        this.#field.setAttribute("aria-invalid", String(problem === "wrongToken"));
        this.#field.focus();
    }

    get hasText() {
        return this.#field.value !== "";
    }

    clear() {
        this.#field.value = "";
    }

    setBusy(isBusy) {
        this.#button.disabled = isBusy;
    }
}
