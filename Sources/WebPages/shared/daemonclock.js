/** What the daemon's clock says now, as far as can be known from what it said last. */
export class DaemonClock {
    isVirtual = false;
    #nowMs = 0;
    #at = 0;

    set(isVirtual, nowMs) {
        this.isVirtual = isVirtual;
        [this.#nowMs, this.#at] = [nowMs, performance.now()];
    }

    /** Something happened at that instant: it is not earlier now. Answers whether that is news. */
    at(atMs) {
        if (atMs <= this.nowMs) return false;
        [this.#nowMs, this.#at] = [atMs, performance.now()];
        return true;
    }

    get nowMs() {
        return this.#nowMs + (this.isVirtual ? 0 : performance.now() - this.#at);
    }
}
