import { addStyles, find, h } from "../shared/dom.js";
import { own } from "../shared/ownwords.js";
import { pressEvent } from "../shared/press.js";
import { humanised } from "../shared/words.js";
import { playerMessage } from "./playermessage.js";
import { storedPlayerName, storePlayerName } from "./presses.js";

/*
 * The one button of a phone that is a buzzer. It fills the screen while the state accepts the event. After a press it says
 * whether the press counted, in a colour that is seen at arm's length, until the session enters another state.
 *
 * A page loads this file when its flow has such an event, and this file loads its styles.
 */

addStyles(new URL("./buzzer.css", import.meta.url));

/** The argument that contains the player's name. */
const nameArgument = "player";
/** The large texts, by the kind of outcome. */
const outcomeTexts = () => ({ first: own`First!`, counted: own`It counts`, late: own`Too late`, locked: own`Locked out` });

export class Buzzer {
    #presentSession;
    #clock;
    #onChange;
    /** The event as in `describe`, without the arguments that rights bind. */
    #event = null;
    /** Whether the present state accepts the event. */
    #isAccepted = false;
    /** The result of the newest press: its kind, a text, and the entry in which it is shown; null without one. `isForNext`: also
     * in the next one. */
    #outcome = null;
    #isRenaming = false;
    #button = h("button", { type: "button", class: "buzzer" });
    #nameField = new NameField((name) => this.#setName(name));
    #element = h("div", { class: "buzzing" }, this.#button, this.#nameField.element);
    #renameButton = h("button", { type: "button", class: "quiet rename", onclick: () => this.#askName() });

    /** `clock` is the `DaemonClock`. Calls `onChange()` when the buzzer must be shown again. */
    constructor(presentSession, clock, onChange) {
        [this.#presentSession, this.#clock, this.#onChange] = [presentSession, clock, onChange];
        // A finger counts when it touches the glass. A click without a pointer comes from a key or a screen reader.
        this.#button.addEventListener("pointerdown", (press) => press.isPrimary && this.#press());
        this.#button.addEventListener("click", (press) => press.detail === 0 && this.#press());
    }

    /**
     * Shows the present state. Returns the place of the buzzer: `alone` if it fills the screen, `above` if it is above the controls
     * of other events, and `none` if it is hidden. `hasOthers`: the state accepts other events.
     */
    show(event, isAccepted, hasOthers) {
        [this.#event, this.#isAccepted] = [event, isAccepted];
        const { entry } = this.#presentSession.session;
        this.#outcome = outcomeIn(entry, this.#outcome);
        const asksName = this.#takesName && (this.#name === "" || this.#isRenaming);
        const place = placeOf(asksName || isAccepted, this.#outcome !== null, hasOthers);
        [this.#button.hidden, this.#nameField.element.hidden] = [asksName, !asksName];
        this.#element.hidden = place === "none";
        this.#element.classList.toggle("alone", place === "alone");
        this.#renameButton.hidden = place === "alone" || !this.#takesName;
        this.#renameButton.textContent = own`${this.#name}: change the name`;
        this.#drawButton();
        return place;
    }

    /** What is shown besides the controls of other events. */
    get elements() {
        return [this.#element, this.#renameButton];
    }

    #askName(problem = "") {
        this.#isRenaming = true;
        this.#nameField.ask(this.#name, problem);
        this.#onChange();
    }

    get #takesName() {
        return this.#event.args.some(({ name }) => name === nameArgument);
    }

    get #name() {
        return storedPlayerName(this.#presentSession.session.session);
    }

    #drawButton() {
        const { kind, text } = this.#outcome ?? { kind: "ready", text: "" };
        const title = outcomeTexts()[kind] ?? this.#event.title ?? humanised(this.#event.name);
        const { session, titles } = this.#presentSession;
        const first = kind === "late" && titles.datumInWords(session.state, nameArgument, session.data?.player);
        const note = first ? own`${first} was first.` : text || (this.#takesName ? this.#name : "");
        this.#button.className = `buzzer ${kind}`;
        this.#button.replaceChildren(h("strong", {}, title), h("span", {}, note));
        this.#button.setAttribute("aria-disabled", String(!this.#isAccepted));
        this.#button.dataset.event = this.#event.name;
    }

    #setName(name) {
        storePlayerName(this.#presentSession.session.session, name);
        this.#isRenaming = false;
        this.#onChange();
    }

    async #press() {
        if (!this.#isAccepted || this.#button.matches(":disabled")) return;
        navigator.vibrate?.(60);
        const { session, entry } = this.#presentSession.session;
        const args = this.#takesName ? { [nameArgument]: this.#name } : {};
        try {
            const change = await pressEvent(this.#button, { session, event: this.#event.name, args, entry }, entry);
            // There is no change if the button was pressed while its previous press is unanswered.
            if (change === null) return;
            this.#setOutcome(change.entry === entry ? "counted" : "first", "", entry);
        } catch (error) {
            this.#handleRefusal(error, args, entry);
        }
        this.#onChange();
    }

    #handleRefusal(error, args, entry) {
        const { argument, ofFlow } = error.data ?? {};
        const sent = { name: this.#event.name, args };
        const { title, text } = playerMessage(error, this.#clock.nowMs, sent, this.#presentSession.titles);
        if (error.message === "invalid" && argument === nameArgument && !ofFlow) return this.#askName(text || title);
        const isLate = ["noTransition", "stale", "finished"].includes(error.message);
        if (isLate) this.#setOutcome("late", title === outcomeTexts().late ? text : title, entry);
        else this.#setOutcome("locked", text || title, entry);
    }

    /** `pressedEntry` is the entry in which the button was pressed. The session may have left it since. */
    #setOutcome(kind, text, pressedEntry) {
        const { entry } = this.#presentSession.session;
        const endsEntry = kind === "first" || kind === "late";
        this.#outcome = { kind, text, entry, isForNext: endsEntry && entry === pressedEntry };
    }
}

/** The outcome as it is in an entry, which may be the entry after the outcome's; null if it is over. */
function outcomeIn(entry, outcome) {
    if (outcome === null || outcome.entry === entry) return outcome;
    return outcome.isForNext ? { ...outcome, entry, isForNext: false } : null;
}

/** The place of the buzzer. `isNeeded`: the player has to type a name, or the state accepts the event. */
function placeOf(isNeeded, hasOutcome, hasOthers) {
    if (isNeeded || (hasOutcome && !hasOthers)) return "alone";
    return hasOutcome ? "above" : "none";
}

/** A form that asks for the player's name. */
class NameField {
    #input = h("input", { type: "text", name: nameArgument, required: true, autocomplete: "nickname" });
    #problem = h("p", { role: "alert" });
    element = h("form", { class: "buzzer-name" },
        h("label", {}, h("span", { "data-own": "Your name" }, own`Your name`), this.#input), this.#problem,
        h("button", { type: "submit", class: "press", "data-own": "Ready" }, own`Ready`));

    /** Calls `onName(name)` for the name that was typed. */
    constructor(onName) {
        this.element.addEventListener("submit", (submission) => {
            submission.preventDefault();
            const name = this.#input.value.trim();
            if (name !== "") onName(name);
        });
    }

    /** Proposes a name, and says why it was refused. */
    ask(name, problem = "") {
        [this.#input.value, this.#problem.textContent] = [name, problem];
    }
}
