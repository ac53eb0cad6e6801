import { addStyles, at, find, h, setText } from "./dom.js";

/* The form in which a token is typed. A page loads this file when it needs the form, and this file loads its styles. */

addStyles(new URL("./signin.css", import.meta.url));

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
    #button = h("button", { class: "primary", type: "submit" }, "Sign in");

    /** Calls `onSubmit(token)` when a token is typed. */
    constructor(onSubmit) {
        const help = h("p", { id: "signin-help", class: "help" }, "A token comes from ");
        help.append(h("code", {}, "gamectl token add NAME"), " where gamed runs.");
        help.append(" With a code of six letters and digits, ");
        help.append(h("a", { href: at("join") }, "join"), ".");
        const submit = (event) => {
            event.preventDefault();
            onSubmit(this.#field.value.trim());
        };
        const label = h("label", { for: "token" }, "Token");
        const form = h("form", { onsubmit: submit }, label, this.#field, this.#message, this.#button, help);
        find("#signin-form").replaceWith(form);
    }

    show(message, isWrongToken) {
        setText(this.#message, message);
        this.#field.setAttribute("aria-invalid", String(isWrongToken));
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
