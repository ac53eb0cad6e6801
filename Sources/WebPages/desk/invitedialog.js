import { freshId, h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Dialog } from "./dialog.js";
import { EventLimits } from "./eventlimits.js";

/** How long an invitation can be valid: the parameter `for` of the method `invite`, and its text. */
const durations = [
    ["1h", "1 hour"],
    ["12h", "12 hours"],
    ["1d", "1 day"],
    ["7d", "7 days"],
    ["30d", "30 days"],
];
const defaultDuration = "12h";

/** What a guest's browser opens: the parameter `opens` of the method `invite`, and its text. */
const pages = [
    ["players", "The players' page"],
    ["wall", "A wall"],
    ["overlay", "An overlay for OBS"],
];

/**
 * The dialog that makes an invitation to a session. It asks for the guest's name, the guest's rights, and how long the
 * invitation is valid. When the server has made the invitation, a second dialog shows its QR code, its link and its code.
 */
export class InviteDialog {
    #dialog;
    #sessionName = "";
    #guestNameInput = h("input", { id: freshId("field"), name: "as", type: "text", maxlength: 64, autocomplete: "off" });
    #roleSelect = h("select", { id: freshId("field"), name: "role" });
    #durationSelect = h("select", { id: freshId("field"), name: "for" });
    #pageSelect = h("select", { id: freshId("field"), name: "opens" });
    #onceCheckbox = h("input", { id: freshId("field"), name: "once", type: "checkbox" });
    #eventLimits = new EventLimits();
    #card = new InvitationCard();

    /** Calls `onInvited()` after an invitation was made. */
    constructor(onInvited) {
        const words = { title: "Invite", verb: "Make the invitation" };
        this.#dialog = new Dialog(words, async () => {
            this.#card.show(await this.#createInvitation());
            onInvited();
        });
        const option = ([value, text]) => h("option", { value }, text);
        this.#roleSelect.append(...[["play", "Play"], ["observe", "Watch only"]].map(option));
        this.#durationSelect.append(...durations.map(option));
        this.#pageSelect.append(...pages.map(option));
        this.#roleSelect.addEventListener("change", () => this.#eventLimits.setRole(this.#roleSelect.value));
        this.#pageSelect.addEventListener("change", () => {
            // Nobody presses a button there.
            this.#roleSelect.value = this.#pageSelect.value === "players" ? "play" : "observe";
            this.#eventLimits.setRole(this.#roleSelect.value);
        });
        const label = (input, text) => h("label", { for: input.id }, text);
        this.#dialog.body.append(
            h("div", { class: "field" }, label(this.#guestNameInput, "Name, if it is one person"), this.#guestNameInput),
            h("div", { class: "field" }, label(this.#pageSelect, "Opens"), this.#pageSelect),
            h("div", { class: "field" }, label(this.#roleSelect, "May"), this.#roleSelect),
            h("div", { class: "field" }, label(this.#durationSelect, "Valid for"), this.#durationSelect),
            h("div", { class: "field" }, this.#onceCheckbox, label(this.#onceCheckbox, "Only the first guest can join")),
            this.#eventLimits.element,
        );
    }

    /** Opens the dialog for an invitation to the session. */
    ask(session) {
        this.#sessionName = session;
        this.#guestNameInput.value = "";
        this.#pageSelect.value = "players";
        this.#roleSelect.value = "play";
        this.#durationSelect.value = defaultDuration;
        this.#eventLimits.readEvents(session);
        this.#eventLimits.setRole(this.#roleSelect.value);
        this.#dialog.ask();
    }

    #createInvitation() {
        const name = this.#guestNameInput.value.trim();
        const params = {
            session: this.#sessionName,
            role: this.#roleSelect.value,
            once: this.#onceCheckbox.checked,
            opens: this.#pageSelect.value,
            for: this.#durationSelect.value,
            ...this.#eventLimits.params,
        };
        return call("invite", name === "" ? params : { ...params, as: name });
    }
}

/** The dialog that shows an invitation: its QR code, its link, and the code that guests type at `/join`. */
class InvitationCard {
    #picture = h("div", { class: "picture" });
    #code = h("p", { class: "code" });
    #link = h("a", { target: "_blank", rel: "noopener" });
    #details = h("p", {});
    #element;

    constructor() {
        const id = freshId("dialog");
        const close = () => this.#element.close();
        this.#element = h(
            "dialog",
            { "aria-labelledby": id, class: "invitation" },
            h("h2", { id }, "Invitation"),
            h("div", { class: "fields" }, this.#picture, this.#code, this.#details, h("p", {}, this.#link)),
            h("button", { type: "button", class: "primary", onclick: close }, "Done"),
        );
        // The link contains a secret, which must not stay in the page.
        this.#element.addEventListener("close", () => this.#clear());
        document.body.append(this.#element);
    }

    /**
     * Shows the result of the method `invite`. `as` is the name of the guest. If `once` is true, only one guest can join.
     * `codeUntil` is the instant at which the code expires, and `qr` is the QR code as SVG.
     */
    show({ session, as, once, link, code, codeUntil, qr }) {
        const root = new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
        const picture = document.importNode(root, true);
        picture.setAttribute("role", "img");
        picture.setAttribute("aria-label", "QR code of the link");
        this.#picture.replaceChildren(picture);
        const joinPage = link.split("#")[0];
        const until = new Date(codeUntil).toLocaleTimeString([], { timeStyle: "short" });
        setText(this.#code, code);
        const invited = [session, as].filter(Boolean).join(" · ") + (once ? " · for one person" : "");
        setText(this.#details, `${invited}. The code is typed at ${joinPage} until ${until}.`);
        setText(this.#link, link);
        this.#link.href = link;
        this.#element.showModal();
    }

    #clear() {
        this.#picture.replaceChildren();
        this.#link.removeAttribute("href");
        for (const part of [this.#code, this.#details, this.#link]) setText(part, "");
    }
}
