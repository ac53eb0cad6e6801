import { timerName } from "./flowwords.js";
import { Ring } from "./ring.js";

/** The rings of a session's timers, and the animation loop that runs while one of them moves. */
export class Rings {
    /** The rings with their containers. A key consists of the session's name and the timer's signal, kind and title. */
    #rings = new Map();
    #frame = 0;
    #reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
    #wrap;
    #parent;

    /** `wrap(ring, timer)` returns a ring's container: the element that contains the ring and its controls. */
    constructor(parent, wrap = (ring) => ring.element) {
        this.#parent = parent;
        this.#wrap = wrap;
    }

    /**
     * Shows a session's timers. For `receivedAt` and `isMoving` see `Ring.set`; `nameOf` returns a timer's title. The container
     * of each ring gets the DOM event `timer`, whose `detail` is the timer.
     */
    show(timers, receivedAt, isMoving, sessionName, nameOf = timerName) {
        const previousRings = this.#rings;
        this.#rings = new Map();
        for (const timer of timers) {
            const key = `${sessionName} ${timer.fires} ${timer.kind} ${nameOf(timer)}`;
            const item = previousRings.get(key) ?? this.#makeItem(timer, nameOf(timer));
            item.ring.set(timer, receivedAt, isMoving);
            this.#rings.set(key, item);
            previousRings.delete(key);
            item.container.dispatchEvent(new CustomEvent("timer", { detail: timer }));
        }
        for (const { container } of previousRings.values()) container.remove();
        for (const { container } of this.#rings.values()) {
            if (!container.isConnected) this.#parent.append(container);
        }
        this.#draw();
    }

    /** Shows a beat of a pendulum. */
    beat(fires) {
        for (const { ring } of this.#rings.values()) {
            if (ring.element.dataset.fires === fires) ring.beat();
        }
        this.#draw();
    }

    #makeItem(timer, name) {
        const ring = new Ring(timer, name);
        return { ring, container: this.#wrap(ring, timer) };
    }

    #draw() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        const now = performance.now();
        let isMoving = false;
        for (const { ring } of this.#rings.values()) {
            ring.draw(now, this.#reducedMotion.matches);
            isMoving ||= ring.isMoving;
        }
        if (isMoving) this.#frame = requestAnimationFrame(() => this.#draw());
    }
}

/** The timers of a session that have a ring of their own: all but the marks on countdowns. */
export function drawnTimersOf(session) {
    return (session?.timers ?? []).filter(({ kind }) => kind !== "when");
}

/** The timer that the operator, by a label, or the flow has chosen as the session's `clock`, if the state has it. */
export function designatedTimersOf(session) {
    return drawnTimersOf(session).filter(({ fires }) => fires === session.clock);
}
