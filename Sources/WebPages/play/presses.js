import { find, h } from "../shared/dom.js";
import { describe, isForPages } from "../shared/flows.js";
import { choicesOf } from "../shared/flowwords.js";
import { lazily } from "../shared/lazily.js";
import { own } from "../shared/ownwords.js";
import { pressEvent } from "../shared/press.js";
import { humanised } from "../shared/words.js";

/*
 * The events that a player can send: large buttons, numbered for the keyboard. An event whose only argument has few values
 * has a button for each value; other arguments have fields. The page does not ask for arguments that its rights bind: the
 * server fills them in.
 */

/** The keys 1 to 9 press buttons. */
const maximumKeys = 9;

export class Presses {
    #element;
    #presentSession;
    /** Contains the page's rights. */
    #context;
    #clock;
    #onRefusal;
    /** Loads the button of the flow's buzzer. */
    #loadBuzzer = lazily(async () => {
        const { Buzzer } = await import("./buzzer.js");
        return new Buzzer(this.#presentSession, this.#clock, () => this.show());
    });
    /** Loads the functions that make and read fields. */
    #loadForms = lazily(() => import("../shared/form.js"));
    /** Loads the function that makes the field of a number. */
    #loadStepper = lazily(() => import("./stepper.js"));
    /** The functions, if the shown state needs them. */
    #forms;
    #stepper;
    /** Identifies what the shown controls depend on. */
    #shownKey = "";

    /** `clock` is the `DaemonClock`. */
    constructor(element, presentSession, context, clock, onRefusal) {
        [this.#element, this.#presentSession, this.#context] = [element, presentSession, context];
        [this.#clock, this.#onRefusal] = [clock, onRefusal];
        addEventListener("keydown", (event) => this.#handleKey(event));
    }

    /** While `isPartial`, the accepted events are not known, and the controls are disabled. */
    async show() {
        const { session, titles, isPartial } = this.#presentSession;
        this.#element.disabled = isPartial;
        if (isPartial) return;
        const { rights } = this.#context;
        const flow = await describe(session).catch(() => null);
        // The next call asks again.
        if (flow === null) return;
        const maySend = (event) => isForPages(event) && rights.maySend(event.name, session.session);
        const withRights = (event) => withoutBoundArguments(event, session, rights);
        // The page sends the end of a video by itself.
        const { ended } = titles.screen(session.state);
        const accepted = flow.events.filter(
            (event) => session.accepts.includes(event.name) && event.name !== ended && maySend(event),
        );
        // After the end nobody has to type a name.
        const buzzes = session.final ? [] : flow.events.filter((event) => event.buzz && maySend(event));
        const buzz = buzzes.find((event) => accepted.includes(event)) ?? buzzes[0];
        const fields = accepted.map(withRights).filter(needsForm).flatMap(({ args }) => args);
        const hasNumber = fields.some(({ type }) => type === "integer");
        const parts = await Promise.all([
            buzz && this.#loadBuzzer(),
            fields.length > 0 ? this.#loadForms() : undefined,
            hasNumber ? this.#loadStepper() : undefined,
        ]);
        // A later call shows other controls. Without a connection, the call after the connection is back shows them.
        if (session !== this.#presentSession.session || parts.includes(null)) return;
        const [buzzer, forms, numbers] = parts;
        [this.#forms, this.#stepper] = [forms, numbers?.stepper];
        const others = accepted.filter((event) => event !== buzz).map(withRights);
        const place = buzzer?.show(withRights(buzz), accepted.includes(buzz), others.length > 0);
        const events = place === "alone" ? [] : others;
        const { flow: flowName, version, language, state } = session;
        const names = events.map(({ name }) => name);
        const key = JSON.stringify([session.session, flowName, version, language, state, names, rights.text, place]);
        if (key === this.#shownKey) return;
        this.#shownKey = key;
        this.#draw(session.session, events, buzzer?.elements ?? []);
    }

    disable() {
        this.#element.disabled = true;
    }

    /** `others` are elements besides the events' controls. */
    #draw(session, events, others) {
        const usesKeyboard = find(":focus-visible", this.#element) !== null;
        this.#element.setAttribute("aria-label", own`What you can do`);
        this.#element.replaceChildren(...others, ...events.map((event) => this.#controlFor(session, event)));
        [...this.#element.querySelectorAll("button.press[data-event]")].slice(0, maximumKeys).forEach(addKeyHint);
        if (usesKeyboard) find(".press, input, select", this.#element)?.focus();
    }

    #controlFor(session, event) {
        const name = event.title ?? humanised(event.name);
        const choices = choicesOf(event);
        if (event.args.length === 0) return this.#button(session, event, name, {});
        if (choices === null) return this.#form(session, event, name);
        const buttons = choices.map(([text, value]) =>
            this.#button(session, event, text, { [event.args[0].name]: value }),
        );
        return h("fieldset", { class: "choices" }, h("legend", {}, name), buttons);
    }

    #button(session, event, text, args) {
        const button = h("button", { type: "button", class: classOf(event) }, text);
        button.dataset.event = event.name;
        button.addEventListener("click", () => this.#send(button, session, event, args));
        return button;
    }

    #form(session, event, name) {
        const { fieldsOf, readAll } = this.#forms;
        const fields = fieldsOf(event.args, this.#stepper);
        const button = h("button", { type: "submit", class: classOf(event) }, name);
        button.dataset.event = event.name;
        rememberPlayerName(fields, session);
        const submit = (submission) => {
            submission.preventDefault();
            this.#send(button, session, event, readAll(fields));
        };
        const elements = [...fields.values()].map(({ element }) => element);
        return h("form", { class: "press-form", onsubmit: submit }, elements, button);
    }

    /** `description` is the event in the result of `describe`. */
    async #send(button, session, description, args) {
        const { name: event, title, confirm: asks, danger } = description;
        // The player confirms what is shown now. The daemon refuses the event if the state has changed meanwhile.
        const entry = this.#presentSession.session?.entry;
        try {
            const request = { session, event, args };
            if (asks) {
                const { confirm } = await import("../shared/confirmation.js");
                if (!(await confirm(title ?? humanised(event), danger))) return;
                request.entry = entry;
            }
            await pressEvent(button, request, entry);
        } catch (error) {
            this.#onRefusal(error, { name: event, args });
        }
    }

    /** A number key presses its button. If the button belongs to a form, the key moves to the first field instead. */
    #handleKey(event) {
        const isTyping = event.target.matches?.("input, select, textarea");
        if (isTyping || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
        const button = find(`button[data-number="${CSS.escape(event.key)}"]`, this.#element);
        if (!button?.checkVisibility() || button.matches(":disabled")) return;
        event.preventDefault();
        const field = button.form ? find("input, select, textarea", button.form) : null;
        if (!field) return button.click();
        field.focus();
        field.select?.();
    }
}

/** The class of an event's button. */
function classOf({ danger }) {
    return danger ? "press danger" : "press";
}

/** The event without the arguments that the page's rights bind. */
function withoutBoundArguments(event, { session }, rights) {
    const names = event.args.map(({ name }) => name);
    const bound = rights.boundArguments(event.name, session, names);
    return { ...event, args: event.args.filter(({ name }) => !(name in bound)) };
}

/** Whether the event has fields. */
function needsForm(event) {
    return event.args.length > 0 && choicesOf(event) === null;
}

function addKeyHint(button, index) {
    const number = String(index + 1);
    button.dataset.number = number;
    button.setAttribute("aria-keyshortcuts", number);
    button.append(h("kbd", { "aria-hidden": "true" }, number));
}

/** The name that a player has typed in a session; empty without one. The browser keeps it, so nobody types it twice. */
export function storedPlayerName(session) {
    return localStorage.getItem(playerKey(session)) ?? "";
}

export function storePlayerName(session, name) {
    localStorage.setItem(playerKey(session), name);
}

function playerKey(session) {
    return `gamed player ${session}`;
}

/** Proposes the stored name in the field `player`, if there is one, and stores the name that is typed. */
function rememberPlayerName(fields, session) {
    const input = fields.has("player") ? find("input", fields.get("player").element) : null;
    if (input === null) return;
    input.value = storedPlayerName(session);
    input.addEventListener("input", () => storePlayerName(session, input.value));
}
