/** Calls out when it was not told in time to expect more. */
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
