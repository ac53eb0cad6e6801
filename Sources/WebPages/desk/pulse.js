/**
 * Calls a function every second while the page is visible: never twice at once, and earlier if something
 * has happened.
 */
const everyMs = 1_000;
const soonMs = 50;

export class Pulse {
    #beat;
    #timer = 0;
    #generation = 0;
    #isOn = false;
    #isBusy = false;
    #isSoon = false;

    /** The function returns a promise that is never rejected. */
    constructor(beat) {
        this.#beat = beat;
        document.addEventListener("visibilitychange", () => this.#schedule(0));
    }

    /** Starts again at once, without waiting for the present call. */
    start() {
        this.stop();
        this.#isOn = true;
        this.#schedule(0);
    }

    stop() {
        this.#generation += 1;
        this.#isOn = this.#isBusy = this.#isSoon = false;
        clearTimeout(this.#timer);
    }

    /** Calls the function once for all requests within a moment; later requests do not delay it. */
    soon() {
        if (this.#isSoon || !this.#isOn) return;
        this.#isSoon = true;
        this.#schedule(soonMs);
    }

    #schedule(ms) {
        clearTimeout(this.#timer);
        if (!this.#isOn || this.#isBusy || document.hidden) return;
        this.#timer = setTimeout(() => this.#run(this.#generation), ms);
    }

    async #run(generation) {
        [this.#isBusy, this.#isSoon] = [true, false];
        await this.#beat();
        if (generation !== this.#generation) return;
        this.#isBusy = false;
        this.#schedule(this.#isSoon ? soonMs : everyMs);
    }
}
