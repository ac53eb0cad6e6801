/**
 * Calls a function every second while the page is visible. The next call waits for the end of the previous one. `soon`
 * requests an earlier call.
 */

const intervalMs = 1_000;
const soonMs = 50;

export class Poller {
    #call;
    #timer = 0;
    /** Counts the calls of `stop`, so that the end of a call that began before `stop` is ignored. */
    #generation = 0;
    #isOn = false;
    #isBusy = false;
    #isSoon = false;

    /** `call()` returns a promise that is never rejected. */
    constructor(call) {
        this.#call = call;
        document.addEventListener("visibilitychange", () => this.#schedule(0));
    }

    /** Calls the function at once, even if a call is under way, and then every second. */
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

    /** Requests a call in 50 ms, or 50 ms after the call that is under way. Further requests before it change nothing. */
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
        await this.#call();
        if (generation !== this.#generation) return;
        this.#isBusy = false;
        this.#schedule(this.#isSoon ? soonMs : intervalMs);
    }
}
