import { Data } from "../shared/data.js";
import { one, say } from "../shared/dom.js";
import { Rings } from "../shared/rings.js";
import { humanised } from "../shared/words.js";
import { Presses } from "./presses.js";

/** What a player sees of a session: where it stands, what is left, and what can be done. */
export class Board {
    #element = one("#board");
    #present;
    #clock;
    #data = new Data({ isTerse: true });
    #parent;
    #rings;
    #presses;
    #isFrozen = true;

    constructor(present, room, clock, refused) {
        [this.#present, this.#clock] = [present, clock];
        this.#parent = one(".rings", this.#element);
        this.#rings = new Rings(this.#parent);
        this.#presses = new Presses(one(".presses", this.#element), present, room, refused);
        one(".facts", this.#element).append(this.#data.element);
    }

    show() {
        const { session } = this.#present;
        this.#isFrozen = false;
        this.#element.hidden = false;
        this.#element.classList.toggle("final", Boolean(session.final));
        document.body.classList.remove("stale");
        say(one("#state"), humanised(session.state));
        this.#data.show(session.data);
        this.#showTimers();
        this.#presses.show();
    }

    beat(fires) {
        this.#rings.beat(fires);
    }

    /** Nobody knows what is left now; what stood there stays, and stands still. */
    freeze() {
        this.#isFrozen = true;
        document.body.classList.add("stale");
        this.#presses.disable();
        if (this.#present.session) this.#showTimers();
    }

    hide() {
        this.#element.hidden = true;
    }

    #showTimers() {
        const { session, at, name } = this.#present;
        const isMoving = !this.#clock.isVirtual && !this.#isFrozen;
        const timers = forPlayers(session.timers);
        this.#rings.show(timers, at, isMoving, name);
        this.#parent.style.setProperty("--count", String(Math.max(1, timers.length)));
        this.#element.classList.toggle("timed", timers.length > 0);
    }
}

/** What is left is shown; a beat only where there is nothing else. */
function forPlayers(timers) {
    const countdowns = timers.filter(({ kind }) => kind === "countdown");
    return countdowns.length > 0 ? countdowns : timers;
}
