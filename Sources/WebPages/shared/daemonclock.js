/** The daemon's present time in milliseconds, estimated from its most recent message. */
export class DaemonClock {
    isVirtual = false;
    #nowMs = 0;
    /** The value of performance.now() when `#nowMs` was received. */
    #receivedAt = 0;

    set(isVirtual, nowMs) {
        this.isVirtual = isVirtual;
        [this.#nowMs, this.#receivedAt] = [nowMs, performance.now()];
    }

    /** The daemon has reached `atMs`. Returns whether this is later than the estimate. */
    advanceTo(atMs) {
        if (atMs <= this.nowMs) return false;
        [this.#nowMs, this.#receivedAt] = [atMs, performance.now()];
        return true;
    }

    get nowMs() {
        return this.#nowMs + (this.isVirtual ? 0 : performance.now() - this.#receivedAt);
    }
}
