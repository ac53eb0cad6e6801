/**
 * Does something every second while somebody looks: never twice at once, and sooner where something
 * has happened. Nobody looks at a page that is hidden.
 */
const everyMs = 1_000;
const soonMs = 50;

export class Pulse {
    #beat;
    #timer = 0;
    #turn = 0;
    #isOn = false;
    #isBusy = false;
    #isSoon = false;

    /** What is done answers a promise, which is not rejected. */
    constructor(beat) {
        this.#beat = beat;
        document.addEventListener("visibilitychange", () => this.#set(0));
    }

    /** Begins anew, at once; what was under way before is not waited for. */
    start() {
        this.stop();
        this.#isOn = true;
        this.#set(0);
    }

    stop() {
        this.#turn += 1;
        this.#isOn = this.#isBusy = this.#isSoon = false;
        clearTimeout(this.#timer);
    }

    /** Once for all that ask within a moment, and not put off by those who ask later. */
    soon() {
        if (this.#isSoon || !this.#isOn) return;
        this.#isSoon = true;
        this.#set(soonMs);
    }

    #set(ms) {
        clearTimeout(this.#timer);
        if (!this.#isOn || this.#isBusy || document.hidden) return;
        this.#timer = setTimeout(() => this.#go(this.#turn), ms);
    }

    async #go(turn) {
        [this.#isBusy, this.#isSoon] = [true, false];
        await this.#beat();
        if (turn !== this.#turn) return;
        this.#isBusy = false;
        this.#set(this.#isSoon ? soonMs : everyMs);
    }
}
