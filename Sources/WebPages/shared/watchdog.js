/** Calls a function if nothing was reported within a time. */
export class Watchdog {
    #bark;
    #timer = 0;

    constructor(bark) {
        this.#bark = bark;
    }

    expect(ms) {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#bark, ms);
    }

    rest() {
        clearTimeout(this.#timer);
    }
}
