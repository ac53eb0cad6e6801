import { h, setText, svg } from "./dom.js";
import { own } from "./ownwords.js";
import { durationText, elapsedText, remainingText } from "./time.js";

/*
 * One timer as a ring: a countdown, or a timer that fires at a time of day, that empties; a pendulum that swings with its
 * period; or a stopwatch, which only shows its time. The ring computes the remaining time; that of a stopwatch is the negative of
 * the time that it has spent. It starts from the daemon's most recent report. `receivedAt` and `now` are values of
 * performance.now().
 */

const swingDegrees = 34;
const circle = { cx: 60, cy: 60, r: 54, pathLength: 100 };

export class Ring {
    element;
    /**
     * The timer that is drawn. Its values are as of the newest of these instants: the server's report, a later beat, and the
     * loss of the connection.
     */
    #timer = null;
    /** The time at which `#timer` had its `remainingMs`. */
    #receivedAt = 0;
    /** The timer of the most recent report, unchanged. */
    #reportedTimer = null;
    #isMoving = false;
    /** The side from which the pendulum swings, 1 or -1; changes with each beat. */
    #side = 1;
    #arc;
    #digits;
    #note;
    #bob;

    /** `name` is the timer's title. */
    constructor(timer, name) {
        this.name = name;
        this.#arc = svg("circle", { ...circle, class: "arc" });
        this.#bob = svg("g", { class: "bob" });
        this.#bob.append(svg("path", { d: "M60 26V84" }), svg("circle", { cx: 60, cy: 88, r: 9 }));
        const face = svg("svg", { class: "face", viewBox: "0 0 120 120", "aria-hidden": "true" });
        face.append(svg("circle", { ...circle, class: "track" }), this.#arc);
        if (timer.kind === "pendulum") face.append(this.#bob);
        this.#digits = h("span", { class: "digits" });
        this.#note = h("span", { class: "note" });
        this.element = h(
            "div",
            { class: `ring ${timer.kind}`, role: "timer", "aria-label": name },
            h("div", { class: "dial" }, face, timer.kind === "pendulum" ? null : this.#digits),
            h("span", { class: "name", "aria-hidden": "true" }, name),
            this.#note,
        );
        this.element.dataset.fires = timer.fires;
    }

    /**
     * `timer` was received at `receivedAt`. `isMoving` says whether time moves by itself: it does on a real clock while there
     * is a connection.
     */
    set(timer, receivedAt, isMoving) {
        const now = performance.now();
        const drawnMs = this.#timer ? this.#remaining(now) : 0;
        if (timer !== this.#reportedTimer) {
            if (this.#timer) this.#changeSideAfterBeat(timer, drawnMs);
            const { kind, spentMs } = timer;
            const drawn = kind === "stopwatch" ? { ...timer, remainingMs: -spentMs, totalMs: 0 } : timer;
            [this.#timer, this.#reportedTimer, this.#receivedAt] = [drawn, timer, receivedAt];
        } else if (!isMoving) {
            // The connection is lost: the ring stops at the time that it shows.
            [this.#timer, this.#receivedAt] = [{ ...this.#timer, remainingMs: drawnMs }, now];
        }
        this.#isMoving = isMoving && !timer.paused;
        this.element.classList.toggle("paused", timer.paused);
        this.element.classList.toggle("still", !this.#isMoving);
    }

    /** Shows a beat. If time moves by itself, the animation has already shown the beat. */
    beat() {
        if (!this.#isMoving) this.#side = -this.#side;
    }

    get isMoving() {
        return this.#isMoving;
    }

    /** Draws the ring as of `now`; if `isMotionReduced`, the arc changes only once per second. */
    draw(now, isMotionReduced) {
        const leftMs = this.#remaining(now);
        const { kind, totalMs } = this.#timer;
        const shownMs = isMotionReduced ? Math.min(totalMs, Math.ceil(leftMs / 1000) * 1000) : leftMs;
        const share = totalMs > 0 ? Math.min(1, Math.max(0, shownMs / totalMs)) : 0;
        this.#arc.style.strokeDashoffset = String(100 - share * 100);
        if (kind === "pendulum") this.#swing(isMotionReduced ? 1 : Math.cos(Math.PI * (1 - share)));
        this.#setDigits(kind === "stopwatch" ? elapsedText(-leftMs) : remainingText(leftMs));
        setText(this.#note, noteOf(this.#timer, leftMs));
        this.element.dataset.level = firesOnce(this.#timer) ? urgency(leftMs, totalMs) : "calm";
    }

    /** Tells the style sheet the number of digits, so that hours fit into the ring. */
    #setDigits(text) {
        if (text.length !== this.#digits.textContent.length) {
            // A minus is wider than a digit.
            const count = text.length + (text.startsWith("−") ? 1 : 0);
            this.element.style.setProperty("--digits", String(count));
        }
        setText(this.#digits, text);
    }

    /** The remaining time at `now`, in milliseconds. */
    #remaining(now) {
        const { remainingMs, totalMs, kind, overtime } = this.#timer;
        const leftMs = remainingMs - (this.#isMoving ? now - this.#receivedAt : 0);
        if (overtime || kind === "stopwatch") return leftMs;
        if (kind !== "pendulum" || leftMs > 0) return Math.max(0, leftMs);
        // Store the timer as it was at its most recent beat. Otherwise the next call would count the same beats again.
        const beats = Math.floor(-leftMs / totalMs) + 1;
        this.#receivedAt += remainingMs + (beats - 1) * totalMs;
        this.#timer = { ...this.#timer, remainingMs: totalMs };
        if (beats % 2 === 1) this.#side = -this.#side;
        return leftMs + beats * totalMs;
    }

    /**
     * Changes the pendulum's side if the new `timer` has had a beat that is not drawn yet. Otherwise the swing would jump.
     * `drawnMs` is the remaining time that is drawn.
     */
    #changeSideAfterBeat(timer, drawnMs) {
        if (timer.kind !== "pendulum" || !this.#isMoving) return;
        if (Math.abs(timer.remainingMs - drawnMs) > timer.totalMs / 2) this.#side = -this.#side;
    }

    /** `position` is 1 on the side from which the pendulum swings, and -1 on the opposite side. */
    #swing(position) {
        this.#bob.style.transform = `rotate(${(this.#side * position * swingDegrees).toFixed(2)}deg)`;
    }
}

function noteOf(timer, leftMs) {
    if (timer.paused) return own`paused`;
    if (timer.kind === "stopwatch") return "";
    if (timer.kind === "until") return own`until ${timer.until}`;
    if (timer.kind === "countdown") return own`of ${durationText(wholeSeconds(timer.totalMs))}`;
    const length = durationText(timer.totalMs);
    return timer.totalMs < 10_000 ? own`every ${length}` : own`every ${length}, in ${remainingText(leftMs)}`;
}

/** The length of a countdown, rounded up as the digits are. A countdown that goes on where another one was left has any length. */
function wholeSeconds(ms) {
    return ms < 1000 ? ms : Math.ceil(ms / 1000) * 1000;
}

/** Whether a timer fires once, after a time or at a time of day. */
export function firesOnce({ kind }) {
    return kind === "countdown" || kind === "until";
}

/** How near a timer's end is: "calm", "soon" or "last". */
export function urgency(leftMs, totalMs) {
    if (leftMs <= Math.min(10_000, totalMs / 6)) return "last";
    return leftMs <= Math.min(30_000, totalMs / 3) ? "soon" : "calm";
}
