/** The time from the end of a call to the next call. */
const intervalMs = 1_000;
/** The time to a call that `callSoon` requests. */
const soonMs = 50;

/**
 * Calls a function every second while the page is visible, for example to request something that the event stream does not
 * report. A call begins only after the end of the previous call. `callSoon` requests an earlier call.
 */
export class Poller {
    #call;
    #timer = 0;
    /** Counts the calls of `stop`. If `stop` was called while a call was under way, the end of that call is ignored. */
    #generation = 0;
    /** True between `start` and `stop`. */
    #isOn = false;
    /** Whether a call is under way. */
    #isBusy = false;
    /** Whether `callSoon` has requested a call that has not begun. */
    #isSoon = false;

    /** `call()` returns a promise that is never rejected. */
    constructor(call) {
        this.#call = call;
        document.addEventListener("visibilitychange", () => this.#schedule(0));
    }

    /** Calls the function at once, even if a call that began before is under way, and then every second. */
    start() {
        this.stop();
        this.#isOn = true;
        this.#schedule(0);
    }

    /** Makes no further calls. A call that is under way continues. */
    stop() {
        this.#generation += 1;
        this.#isOn = this.#isBusy = this.#isSoon = false;
        clearTimeout(this.#timer);
    }

    /** Requests a call in 50 ms, or 50 ms after the end of the call that is under way. Until then, more requests do nothing. */
    callSoon() {
        if (this.#isSoon || !this.#isOn) return;
        this.#isSoon = true;
        this.#schedule(soonMs);
    }

    /** Plans the next call in `ms` milliseconds. A call that was planned before is cancelled. */
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
