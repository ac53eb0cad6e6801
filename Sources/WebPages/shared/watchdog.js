/** Calls `onSilence()` when `ms` milliseconds have passed since the last `restart(ms)`, unless it is stopped. */
export class Watchdog {
    #onSilence;
    #timer = 0;

    constructor(onSilence) {
        this.#onSilence = onSilence;
    }

    restart(ms) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#onSilence, ms);
    }

    stop() {
        clearTimeout(this.#timer);
    }
}
