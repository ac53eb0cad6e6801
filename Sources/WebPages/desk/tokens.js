import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { listed } from "../shared/senders.js";
import { RevokeDialog } from "./revokedialog.js";

/**
 * The part of the desk that shows the access tokens: what each token allows, in which sessions, and until when. Each token has
 * a button that revokes the token. Only people who may operate every session see the tokens. The event stream does not report
 * the tokens. So the page requests them when it has connected, when the user opens the list, and after an invitation or a
 * revocation on this page.
 */
export class Tokens {
    #element = find("#tokens");
    #list = h("ul", { class: "lamps" });
    #details;
    /** An object that all parts of the desk share. This part uses the rights, and the identity of the page. */
    #context;
    /** Counts the calls of `start` and `stop`, so that answers to earlier requests are ignored. */
    #generation = 0;
    #revokeDialog = new RevokeDialog({ title: "Revoke this token?", verb: "Revoke it" }, () => this.start());

    constructor(context) {
        this.#context = context;
        const title = h("h2", { id: "tokens-title" }, "Tokens");
        this.#details = h("details", {}, h("summary", {}, title), this.#list);
        this.#details.addEventListener("toggle", () => {
            if (this.#details.open) this.start();
        });
        this.#element.append(this.#details);
    }

    /** Requests the tokens if the list is open. Called when the page has connected, and when the tokens have changed. */
    async start() {
        this.#generation += 1;
        const generation = this.#generation;
        this.#element.hidden = !this.#context.rights.hasEverywhere("operate");
        if (this.#element.hidden || !this.#details.open) return;
        try {
            const { details: tokens } = await call("token", { action: "list" });
            if (generation === this.#generation) this.#show(tokens);
        } catch {
            // The stream reports a lost connection, and the next answer is shown as usual.
        }
    }

    /** Called when the connection is lost or the user signs out. */
    stop() {
        this.#generation += 1;
    }

    #show(tokens) {
        // The name of the token with which this page has signed in.
        const ownName = this.#context.name?.replace(/^token:/, "");
        const rows = tokens.map((token) => {
            const { name } = token;
            const onclick = () => this.#revokeDialog.ask(name, name, consequencesOf(token, name === ownName));
            const button = h("button", { type: "button", class: "quiet danger", onclick }, "Revoke");
            button.setAttribute("aria-label", `Revoke ${name}`);
            const controls = h("fieldset", { class: "plain needs-connection" }, button);
            return row(token, name === ownName, controls);
        });
        const emptyRow = h("li", {}, "There are no tokens.");
        setChildren(this.#list, rows.length === 0 ? [emptyRow] : rows);
    }
}

/** What a token is for, if it is not for signing in. */
const useTexts = { url: "for URLs of /v1/send", invitation: "invitation", guest: "guest" };

/**
 * The row of one token, which is an entry of the result of the method `token`. `as` is the name of a guest; without a rule for
 * the token, `role` is missing.
 */
function row({ name, use, as, role, sessions, until }, isOwn, controls) {
    const line = h("li", {}, h("b", {}, as ?? name));
    line.dataset.token = name;
    const sessionsText = sessions.includes("*") ? "every session" : listed(sessions);
    const parts = [
        as === undefined ? null : name,
        useTexts[use],
        role === undefined ? "no rule names it" : `${role} in ${sessionsText}`,
        until === undefined ? "does not expire" : `until ${new Date(until).toLocaleString([], timeFormat)}`,
        isOwn ? "this page" : null,
    ];
    line.append(...parts.filter(Boolean).map((text) => h("span", {}, text)), controls);
    return line;
}

const timeFormat = { dateStyle: "short", timeStyle: "short" };

/** What the operator reads before a token is revoked. `isOwn` is true for the token with which this page has signed in. */
function consequencesOf({ use }, isOwn) {
    const guestsText = use === "invitation" ? " and the tokens of those who joined by it" : "";
    const ownText = isOwn ? " It is the token of this page, which is signed out." : "";
    return `${guestsText} cannot be used any more, and its connections end. This cannot be taken back.${ownText}`;
}
