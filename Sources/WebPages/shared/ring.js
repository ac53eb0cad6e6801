import { h, s, setText } from "./dom.js";
import { durationText, remainingText } from "./time.js";

/*
 * One timer as a ring: a countdown that empties, or a pendulum that swings with its period. It gets
 * the state of the timer from time to time, and computes each moment in between.
 */

const swingDegrees = 34;
const circle = { cx: 60, cy: 60, r: 54, pathLength: 100 };

export class Ring {
    element;
    #timer = null;
    #receivedAt = 0;
    #isMoving = false;
    /** The side from which the pendulum swings; it changes with each beat. */
    #side = 1;
    #arc;
    #digits;
    #note;
    #bob;

    /** `name` is the timer's title. */
    constructor(timer, name) {
        this.name = name;
        this.#arc = s("circle", { ...circle, class: "arc" });
        this.#bob = s("g", { class: "bob" });
        this.#bob.append(s("path", { d: "M60 26V84" }), s("circle", { cx: 60, cy: 88, r: 9 }));
        const face = s("svg", { class: "face", viewBox: "0 0 120 120", "aria-hidden": "true" });
        face.append(s("circle", { ...circle, class: "track" }), this.#arc);
        if (timer.kind === "pendulum") face.append(this.#bob);
        this.#digits = h("span", { class: "digits" });
        this.#note = h("span", { class: "note" });
        this.element = h(
            "div",
            { class: `ring ${timer.kind}`, role: "timer", "aria-label": name },
            h("div", { class: "dial" }, face, timer.kind === "countdown" ? this.#digits : null),
            h("span", { class: "name", "aria-hidden": "true" }, name),
            this.#note,
        );
        this.element.dataset.fires = timer.fires;
    }

    /** Takes the timer's state as of `at`; `isMoving` if time moves by itself. */
    set(timer, at, isMoving) {
        if (this.#timer) this.#keepSide(timer, this.#remaining(performance.now()));
        [this.#timer, this.#receivedAt, this.#isMoving] = [timer, at, isMoving && !timer.paused];
        this.element.classList.toggle("paused", timer.paused);
        this.element.classList.toggle("still", !this.#isMoving);
    }

    /** Shows a beat. If time moves by itself, the animation has shown it already. */
    beat() {
        if (!this.#isMoving) this.#side = -this.#side;
    }

    get isMoving() {
        return this.#isMoving;
    }

    /** Draws the instant `now`; only whole seconds if the user prefers reduced motion. */
    draw(now, isMotionReduced) {
        const left = this.#remaining(now);
        const { kind, totalMs } = this.#timer;
        const shown = isMotionReduced ? Math.min(totalMs, Math.ceil(left / 1000) * 1000) : left;
        const share = Math.min(1, shown / totalMs);
        this.#arc.style.strokeDashoffset = String(100 - share * 100);
        if (kind === "pendulum") this.#swing(isMotionReduced ? 1 : Math.cos(Math.PI * (1 - share)));
        this.#setDigits(remainingText(left));
        setText(this.#note, noteOf(this.#timer, left));
        this.element.dataset.level = kind === "pendulum" ? "calm" : urgency(left, totalMs);
    }

    /** Makes the digits smaller if there are more of them, so that hours fit into the ring. */
    #setDigits(text) {
        if (text.length !== this.#digits.textContent.length) {
            this.element.style.setProperty("--digits", String(text.length));
        }
        setText(this.#digits, text);
    }

    /** The remaining time at `now`, in milliseconds. */
    #remaining(now) {
        const { remainingMs, totalMs, kind } = this.#timer;
        const left = remainingMs - (this.#isMoving ? now - this.#receivedAt : 0);
        if (kind !== "pendulum" || left > 0) return Math.max(0, left);
        // The stored state advances to the most recent beat. The next call then does not count the same beats again, so each
        // beat reverses the swing once.
        const beats = Math.floor(-left / totalMs) + 1;
        this.#receivedAt += remainingMs + (beats - 1) * totalMs;
        this.#timer = { ...this.#timer, remainingMs: totalMs };
        if (beats % 2 === 1) this.#side = -this.#side;
        return left + beats * totalMs;
    }

    /**
     * Changes the side if a beat lies between `drawnMs`, the remaining time that is drawn, and the new state of the timer, so
     * that the swing does not jump.
     */
    #keepSide(timer, drawnMs) {
        if (timer.kind !== "pendulum" || !this.#isMoving) return;
        if (Math.abs(timer.remainingMs - drawnMs) > timer.totalMs / 2) this.#side = -this.#side;
    }

    #swing(position) {
        this.#bob.style.transform = `rotate(${(this.#side * position * swingDegrees).toFixed(2)}deg)`;
    }
}

function noteOf(timer, left) {
    if (timer.paused) return "paused";
    const length = durationText(timer.totalMs);
    if (timer.kind === "countdown") return `of ${length}`;
    return timer.totalMs < 10_000 ? `every ${length}` : `every ${length}, in ${remainingText(left)}`;
}

/** How near the end of a timer is: "calm", "soon" or "last". */
export function urgency(left, totalMs) {
    if (left <= Math.min(10_000, totalMs / 6)) return "last";
    return left <= Math.min(30_000, totalMs / 3) ? "soon" : "calm";
}
