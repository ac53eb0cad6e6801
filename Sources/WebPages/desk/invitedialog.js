import { freshId, h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";
import { EventLimits } from "./eventlimits.js";

const durations = [
    ["1h", "1 hour"],
    ["12h", "12 hours"],
    ["1d", "1 day"],
    ["7d", "7 days"],
    ["30d", "30 days"],
];
const defaultDuration = "12h";

/**
 * The form for an invitation to a session: the guest's name, the guest's rights, and how long the invitation is valid. It then
 * shows the invitation: a QR code, a link, and a code to type.
 */
export class InviteDialog {
    #dialog;
    #session = "";
    #name = h("input", { id: freshId("field"), name: "as", type: "text", maxlength: 64, autocomplete: "off" });
    #role = h("select", { id: freshId("field"), name: "role" });
    #duration = h("select", { id: freshId("field"), name: "for" });
    #once = h("input", { id: freshId("field"), name: "once", type: "checkbox" });
    #eventLimits = new EventLimits();
    #card = new InvitationCard();

    /** Calls `onMade()` after an invitation was made. */
    constructor(onMade) {
        const words = { title: "Invite", verb: "Make the invitation" };
        this.#dialog = new Dialog(words, async () => {
            this.#card.show(await this.#make());
            onMade();
        });
        const option = ([value, text]) => h("option", { value }, text);
        this.#role.append(...[["play", "Play"], ["observe", "Watch only"]].map(option));
        this.#duration.append(...durations.map(option));
        this.#role.addEventListener("change", () => this.#eventLimits.setRole(this.#role.value));
        const label = (input, text) => h("label", { for: input.id }, text);
        this.#dialog.body.append(
            h("div", { class: "field" }, label(this.#name, "Name, if it is one person"), this.#name),
            h("div", { class: "field" }, label(this.#role, "May"), this.#role),
            h("div", { class: "field" }, label(this.#duration, "Valid for"), this.#duration),
            h("div", { class: "field" }, this.#once, label(this.#once, "Only the first guest can join")),
            this.#eventLimits.element,
        );
    }

    /** Opens the dialog for an invitation to the session. */
    ask(session) {
        this.#session = session;
        this.#name.value = "";
        this.#duration.value = defaultDuration;
        this.#eventLimits.readEvents(session);
        this.#eventLimits.setRole(this.#role.value);
        this.#dialog.ask();
    }

    #make() {
        const name = this.#name.value.trim();
        const params = {
            session: this.#session,
            role: this.#role.value,
            once: this.#once.checked,
            for: this.#duration.value,
            ...this.#eventLimits.params,
        };
        return call("invite", name === "" ? params : { ...params, as: name });
    }
}

/** A dialog that shows one invitation. */
class InvitationCard {
    #picture = h("div", { class: "picture" });
    #code = h("p", { class: "code" });
    #link = h("a", { target: "_blank", rel: "noopener" });
    #text = h("p", {});
    #element;

    constructor() {
        const id = freshId("dialog");
        const close = () => this.#element.close();
        this.#element = h(
            "dialog",
            { "aria-labelledby": id, class: "invitation" },
            h("h2", { id }, "Invitation"),
            this.#picture,
            this.#code,
            this.#text,
            h("p", {}, this.#link),
            h("button", { type: "button", class: "primary", onclick: close }, "Done"),
        );
        // The link contains a secret, which must not stay in the page.
        this.#element.addEventListener("close", () => this.#clear());
        document.body.append(this.#element);
    }

    show({ session, as, once, link, code, codeUntil, qr }) {
        const root = new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
        const picture = document.importNode(root, true);
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", "QR code of the link");
        this.#picture.replaceChildren(picture);
        const page = link.split("#")[0];
        const until = new Date(codeUntil).toLocaleTimeString([], { timeStyle: "short" });
        setText(this.#code, code);
        const details = [session, as].filter(Boolean).join(" · ") + (once ? " · for one" : "");
        setText(this.#text, `${details}. The code is typed at ${page} until ${until}.`);
        setText(this.#link, link);
        this.#link.href = link;
        this.#element.showModal();
    }

    #clear() {
        this.#picture.replaceChildren();
        this.#link.removeAttribute("href");
        for (const part of [this.#code, this.#text, this.#link]) setText(part, "");
    }
}
