/** The time from the end of a call to the next call. */
const intervalMs = 1_000;
/** The time to a call that `callSoon` requests. */
const soonMs = 50;

/**
 * Calls a function every second while the page is visible, for example to request something that the event stream does not
 * report, and passes the answer on. A call begins only after the end of the previous call. `callSoon` requests an earlier call.
 */
export class Poller {
    #call;
    #show;
    #timer = 0;
    /** Counts the calls of `stop`. If `stop` was called while a call was under way, its answer and its end are ignored. */
    #generation = 0;
    /** True between `start` and `stop`. */
    #isOn = false;
    /** Whether a call is under way. */
    #isBusy = false;
    /** Whether `callSoon` has requested a call that has not begun. */
    #isSoon = false;

    /** `call()` returns a promise. If it is rejected, nothing is shown: the next answer is. `show` gets each answer. */
    constructor(call, show = () => {}) {
        [this.#call, this.#show] = [call, show];
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
        try {
            const answer = await this.#call();
            if (generation === this.#generation) this.#show(answer);
        } catch {
            // The stream reports a lost connection.
        }
        if (generation !== this.#generation) return;
        this.#isBusy = false;
        this.#schedule(this.#isSoon ? soonMs : intervalMs);
    }
}
