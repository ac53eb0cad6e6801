/** Calls `onSilence()` if neither `expect` nor `stop` is called within the time of the last `expect`. */
export class Watchdog {
    #onSilence;
    #timer = 0;

    constructor(onSilence) {
        this.#onSilence = onSilence;
    }

    expect(ms) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#onSilence, ms);
    }

    stop() {
        clearTimeout(this.#timer);
    }
}
