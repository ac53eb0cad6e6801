/** Calls a function if `expect` is not called again within its time. */
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
