import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { listed } from "../shared/words.js";
import { Dialog } from "./dialog.js";

/**
 * The access tokens: what each one allows, where, and until when; and the button that revokes it. Only people who may
 * operate every session see them. The stream does not report them, so the page asks the server when it connects, and when
 * the list is opened or changed here.
 */
export class Tokens {
    #element = find("#tokens");
    #list = h("ul", { class: "lamps" });
    #details;
    /** An object that all parts of the desk share. This part uses the rights, and the identity of the page. */
    #context;
    /** Counts the calls of `start` and `stop`, so that answers to earlier requests are ignored. */
    #generation = 0;
    #revoke = new RevokeDialog(() => this.start());

    constructor(context) {
        this.#context = context;
        const title = h("h2", { id: "tokens-title" }, "Tokens");
        this.#details = h("details", {}, h("summary", {}, title), this.#list);
        this.#details.addEventListener("toggle", () => {
            if (this.#details.open) this.start();
        });
        this.#element.append(this.#details);
    }

    /** Called when the page has connected to the daemon, and when the tokens have changed. */
    async start() {
        this.#generation += 1;
        const generation = this.#generation;
        this.#element.hidden = !this.#context.rights.hasEverywhere("operate");
        if (this.#element.hidden || !this.#details.open) return;
        try {
            const { details } = await call("token", { action: "list" });
            if (generation === this.#generation) this.#show(details);
        } catch {
            // The stream reports a lost connection, and the next answer is shown as usual.
        }
    }

    stop() {
        this.#generation += 1;
    }

    #show(tokens) {
        const ownName = this.#context.name?.replace(/^token:/, "");
        const rows = tokens.map((token) => {
            const onclick = () => this.#revoke.ask(token, token.name === ownName);
            const button = h("button", { type: "button", class: "quiet danger", onclick }, "Revoke");
            button.setAttribute("aria-label", `Revoke ${token.name}`);
            const orders = h("fieldset", { class: "plain needs-connection" }, button);
            return row(token, token.name === ownName, orders);
        });
        const empty = h("li", {}, "There are no tokens.");
        setChildren(this.#list, rows.length === 0 ? [empty] : rows);
    }
}

/** What a token is for, if it is not for signing in. */
const uses = { url: "for URLs of /v1/send", invitation: "invitation", guest: "guest" };

function row({ name, use, as, role, sessions, until }, isOwn, orders) {
    const line = h("li", {}, h("b", {}, as ?? name));
    line.dataset.token = name;
    const sessionsText = sessions.includes("*") ? "every session" : listed(sessions);
    const parts = [
        as === undefined ? null : name,
        uses[use],
        role === undefined ? "no rule names it" : `${role} in ${sessionsText}`,
        until === undefined ? "does not expire" : `until ${new Date(until).toLocaleString([], timeFormat)}`,
        isOwn ? "this page" : null,
    ];
    line.append(...parts.filter(Boolean).map((text) => h("span", {}, text)), orders);
    return line;
}

const timeFormat = { dateStyle: "short", timeStyle: "short" };

/** Asks for confirmation and revokes a token. */
class RevokeDialog {
    #dialog;
    #name = "";

    /** Calls `onRevoked()` after a token was revoked. */
    constructor(onRevoked) {
        const words = { title: "Revoke this token?", verb: "Revoke it", isDangerous: true };
        this.#dialog = new Dialog(words, async () => {
            await call("token", { action: "remove", name: this.#name });
            onRevoked();
        });
    }

    ask({ name, use }, isOwn) {
        this.#name = name;
        const guestsText = use === "invitation" ? " and the tokens of those who joined by it" : "";
        const ownText = isOwn ? " It is the token of this page, which is signed out." : "";
        const text = `${guestsText} cannot be used any more, and its connections end. This cannot be taken back.${ownText}`;
        this.#dialog.body.replaceChildren(h("p", {}, h("strong", {}, name), text));
        this.#dialog.ask();
    }
}
