import { DataList, isObject } from "../shared/data.js";
import { find, setText } from "../shared/dom.js";
import { lazily } from "../shared/lazily.js";
import { humanised } from "../shared/words.js";
import { Rings } from "../shared/rings.js";
import { drawnDataOf, drawnTimers } from "./drawn.js";
import { Media } from "./media.js";
import { Presses } from "./presses.js";

/** A wall has smaller letters for a text with more UTF-16 code units. */
const shortText = 120;

/** A player's view of a session: the state, its timers, and the events to send. */
export class Board {
    #element = find("#board");
    #presentSession;
    #context;
    #clock;
    #data;
    #ringsElement;
    #rings;
    #presses;
    #isFrozen = true;
    /** Loads the `Message`. A message that is there when the page is first shown may be old, and does not chime. */
    #loadMessage = lazily(async () => {
        const chimes = this.#wasShown;
        const { Message } = await import("./message.js");
        return new Message(this.#clock, chimes);
    });
    /** Whether the session has had a message. */
    #hasMessage = false;
    /** Whether the page has shown the session. */
    #wasShown = false;
    #media = new Media();
    #isWall;
    /** Loads the `Video` when a state has one. */
    #loadVideo = lazily(async () => {
        const { Video } = await import("./video.js");
        return new Video(this.#presentSession, this.#context, this.#isWall);
    });
    /** Whether the page has shown a state with a video. */
    #hasVideo = false;
    /** Loads the `Joining` when a state lets people join. */
    #loadJoining = lazily(async () => {
        const { Joining } = await import("./joining.js");
        return new Joining(this.#presentSession, this.#context, this.#isWall);
    });
    #hasJoining = false;
    /** Loads the `Ranking` when a game has ended with points. */
    #loadRanking = lazily(() => import("./ranking.js").then(({ Ranking }) => new Ranking()));
    /** Loads what makes lists of names and long texts fit a wall. */
    #loadRows = lazily(() => import("./wholerows.js").then(({ WholeRows }) => new WholeRows()));

    /**
     * `clock` is the `DaemonClock`. Calls `onRefusal(error, sent)` if the event `sent` of this page was refused. If it is null,
     * the page is a wall and has no controls.
     */
    constructor(presentSession, context, clock, onRefusal) {
        [this.#presentSession, this.#context, this.#clock] = [presentSession, context, clock];
        this.#ringsElement = find(".rings", this.#element);
        this.#rings = new Rings(this.#ringsElement);
        this.#isWall = onRefusal === null;
        const pressesElement = find(".presses", this.#element);
        this.#presses = this.#isWall ? null : new Presses(pressesElement, presentSession, context, clock, onRefusal);
        this.#data = new DataList({ isTerse: true, hasNames: this.#isWall });
        find(".facts", this.#element).append(this.#data.element);
    }

    show() {
        const { session } = this.#presentSession;
        this.#isFrozen = false;
        this.#element.hidden = false;
        this.#element.classList.toggle("final", Boolean(session.final));
        document.body.classList.remove("stale");
        const { titles } = this.#presentSession;
        const screen = titles.screenOf(session);
        setText(find("#state"), screen.title ?? titles.state(session.state));
        const flowTitle = titles.flow(session.flow);
        const title = session.labels?.title ?? (flowTitle === session.flow ? "" : flowTitle);
        setText(find("#show-title"), title);
        document.title = title || session.session;
        const firstPlayer = firstPlayerOf(drawnDataOf(session, titles));
        setText(find("#first-player"), firstPlayer);
        this.#element.classList.toggle("has-player", firstPlayer !== "");
        const text = screen.text ?? "";
        setText(find("#state-text"), text);
        find("#state-text").classList.toggle("long", text.length > shortText);
        this.#media.show(session, this.#context.isSilent ? { ...screen, sound: "" } : screen);
        this.#hasVideo ||= Boolean(screen.video);
        if (this.#hasVideo) this.#loadVideo().then((video) => video?.show());
        this.#hasJoining ||= titles.screen(session.state).join === true;
        if (this.#hasJoining) this.#loadJoining().then((joining) => joining?.show());
        const hasSubject = firstPlayer !== "" || text !== "" || Boolean(screen.picture);
        this.#showData(session, titles, firstPlayer !== "", this.#isWall && hasSubject);
        this.#showMessage();
        this.#showTimers();
        this.#presses?.show();
        this.#wasShown = true;
    }

    async #showMessage() {
        const { session } = this.#presentSession;
        this.#hasMessage ||= Boolean(session.say);
        if (!this.#hasMessage) return;
        const message = await this.#loadMessage();
        message?.show(this.#presentSession.session?.say);
    }

    /**
     * Shows the data, and the points at the end of a game as a ranking. `hasPlayer`: the headline shows the datum `player`. A wall
     * that already shows something (`isOnlyListed`) has only the data that the state lists.
     */
    #showData(session, titles, hasPlayer, isOnlyListed) {
        const isLeftOut = isOnlyListed && !titles.drawnNames(session.state);
        const data = isLeftOut ? {} : { ...drawnDataOf(session, titles) };
        if (hasPlayer) delete data.player;
        const titleOf = (name) => titles.datum(session.state, name);
        const points = session.final ? Object.keys(data).find((name) => isPoints(data[name])) : undefined;
        find(".ranking", this.#element)?.remove();
        if (points !== undefined) this.#showRanking(session, data[points], titleOf(points) ?? humanised(points));
        delete data[points];
        this.#data.show(data, titleOf);
        this.#fitRows();
    }

    #fitRows() {
        if (this.#isWall) this.#loadRows().then((rows) => rows?.fit());
    }

    async #showRanking(session, points, title) {
        const ranking = await this.#loadRanking();
        // Another state may have been entered meanwhile.
        if (ranking === null || session !== this.#presentSession.session) return;
        ranking.show(points, title);
        this.#data.element.before(ranking.element);
        this.#fitRows();
    }

    /** Shows a beat of the pendulum with the signal `fires`. */
    beat(fires) {
        this.#rings.beat(fires);
    }

    applyTheme(flow) {
        this.#media.applyTheme(flow);
    }

    /** The connection is lost: the timers stand still, and the buttons are disabled. */
    freeze() {
        this.#isFrozen = true;
        document.body.classList.add("stale");
        this.#presses?.disable();
        if (this.#presentSession.session) this.#showTimers();
    }

    hide() {
        if (this.#hasVideo) this.#loadVideo().then((video) => video?.stop());
        if (this.#hasJoining) this.#loadJoining().then((joining) => joining?.hide());
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

/** Whether a datum has a number for each of several names, such as the points of a quiz. */
function isPoints(value) {
    const numbers = isObject(value) ? Object.values(value) : [];
    return numbers.length > 0 && numbers.every((number) => typeof number === "number");
}

/** The datum `player`, such as the player who buzzed first; empty without one. */
function firstPlayerOf({ player }) {
    return typeof player === "string" ? player : "";
}
