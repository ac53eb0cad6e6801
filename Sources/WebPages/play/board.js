import { DataList } from "../shared/data.js";
import { find, setText } from "../shared/dom.js";
import { Rings } from "../shared/rings.js";
import { drawnDataOf, drawnTimers } from "./drawn.js";
import { Media } from "./media.js";
import { Message } from "./message.js";
import { Presses } from "./presses.js";

/** A player's view of a session: the state, its timers, and the events to send. */
export class Board {
    #element = find("#board");
    #presentSession;
    #clock;
    #data = new DataList({ isTerse: true });
    #ringsElement;
    #rings;
    #presses;
    #isFrozen = true;
    #message;
    #media = new Media();

    /** `clock` is the `DaemonClock`. Calls `onRefusal(error, sent)` if the event `sent` of this page was refused. */
    constructor(presentSession, context, clock, onRefusal) {
        [this.#presentSession, this.#clock] = [presentSession, clock];
        this.#ringsElement = find(".rings", this.#element);
        this.#rings = new Rings(this.#ringsElement);
        this.#presses = new Presses(find(".presses", this.#element), presentSession, context, clock, onRefusal);
        this.#message = new Message(clock);
        find(".facts", this.#element).append(this.#data.element);
    }

    show() {
        const { session } = this.#presentSession;
        this.#isFrozen = false;
        this.#element.hidden = false;
        this.#element.classList.toggle("final", Boolean(session.final));
        document.body.classList.remove("stale");
        const { titles } = this.#presentSession;
        const screen = session.show ?? titles.screen(session.state);
        setText(find("#state"), screen.title ?? titles.state(session.state));
        const flowTitle = titles.flow(session.flow);
        const title = session.labels?.title ?? (flowTitle === session.flow ? "" : flowTitle);
        setText(find("#show-title"), title);
        document.title = title || session.session;
        const data = drawnDataOf(session, titles);
        const firstPlayer = firstPlayerOf(data);
        setText(find("#first-player"), firstPlayer);
        this.#element.classList.toggle("has-player", firstPlayer !== "");
        setText(find("#state-text"), screen.text ?? "");
        this.#media.show(session, screen);
        // The headline shows the player.
        const { player: _, ...otherData } = data;
        this.#data.show(firstPlayer === "" ? data : otherData, (name) => titles.datum(session.state, name));
        this.#message.show(session.say);
        this.#showTimers();
        this.#presses.show();
    }

    /** Shows a beat of the pendulum with the signal `fires`. */
    beat(fires) {
        this.#rings.beat(fires);
    }

    /** Applies the style sheet `theme.css`, see `Media`. */
    applyTheme() {
        this.#media.applyTheme();
    }

    /** The connection is lost: the timers stand still, and the buttons are disabled. */
    freeze() {
        this.#isFrozen = true;
        document.body.classList.add("stale");
        this.#presses.disable();
        if (this.#presentSession.session) this.#showTimers();
    }

    hide() {
        this.#element.hidden = true;
    }

    #showTimers() {
        const { session, receivedAt, name } = this.#presentSession;
        const isMoving = !this.#clock.isVirtual && !this.#isFrozen;
        const { titles } = this.#presentSession;
        const timers = drawnTimers(session, titles);
        const nameOf = (timer) => titles.timer(session.state, timer);
        this.#rings.show(timers, receivedAt, isMoving, name, nameOf);
        this.#ringsElement.style.setProperty("--count", String(Math.max(1, timers.length)));
        this.#element.classList.toggle("timed", timers.length > 0);
        this.#element.classList.toggle("subject", timers.length > 0 && titles.isClockSubject(session.state));
    }
}

/** The datum `player`, such as the player who buzzed first; empty without one. */
function firstPlayerOf({ player }) {
    return typeof player === "string" ? player : "";
}
