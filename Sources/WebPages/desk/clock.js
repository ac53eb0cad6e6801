import { DaemonClock } from "../shared/daemonclock.js";
import { find, h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";
import { instantText, timeOfDay } from "./instants.js";

/**
 * The daemon's clock. A real clock moves by itself. A virtual clock moves only when an operator advances it, for example
 * with the buttons that this class adds to the title bar.
 */
export class DeskClock {
    #clock = new DaemonClock();
    #element = find("#clock");
    /** The id of the timeout that shows the next second of a real clock. */
    #timer = 0;
    /** The buttons that advance a virtual clock. */
    #controls = find("#advance");
    /** Shows the result of the newest advance. */
    #answer;

    constructor() {
        this.#build();
    }

    /** Sets the kind and the present time of the clock. `mayAdvance` tells whether this page may advance a virtual clock. */
    set(isVirtual, nowMs, mayAdvance) {
        this.#controls.hidden = !(isVirtual && mayAdvance);
        this.#element.dataset.kind = isVirtual ? "virtual" : "real";
        setText(find(".kind", this.#element), isVirtual ? "Virtual clock" : "Clock");
        this.#clock.set(isVirtual, nowMs);
        this.#show();
    }

    /** Shows an instant that the daemon has reached. Does nothing if the clock already shows a later instant. */
    advanceTo(atMs) {
        if (this.#clock.advanceTo(atMs)) this.#show();
    }

    get nowMs() {
        return this.#clock.nowMs;
    }

    #show() {
        clearTimeout(this.#timer);
        const timeElement = find(".time", this.#element);
        const { nowMs } = this;
        const { isVirtual } = this.#clock;
        if (isVirtual) return setText(timeElement, instantText(nowMs, isVirtual));
        setText(timeElement, timeOfDay(new Date(nowMs)));
        this.#timer = setTimeout(() => this.#show(), 1000 - (nowMs % 1000));
    }

    #build() {
        const stepButton = (by) =>
            h("button", { type: "button", onclick: () => this.#advance({ by }) }, `+${by}`);
        const durationInput = h("input", {
            type: "text",
            name: "by",
            "aria-label": "Advance by",
            placeholder: "1m30s",
            pattern: "\\s*([0-9]+(ms|s|m|h|d))+\\s*",
            required: true,
            autocomplete: "off",
        });
        const submit = (event) => {
            event.preventDefault();
            this.#advance({ by: durationInput.value.trim() });
        };
        const form = h("form", { onsubmit: submit }, durationInput, h("button", { type: "submit" }, "Go"));
        const advanceToNext = () => this.#advance({ toNext: true });
        this.#answer = h("span", { class: "answer", role: "status" });
        this.#controls.append(
            ...["1s", "10s", "30s"].map(stepButton),
            h("button", { type: "button", onclick: advanceToNext }, "Next timer"),
            form,
            this.#answer,
        );
    }

    /** Advances the clock and shows the newest timer that fired. `params` are the parameters of the method `advance`. */
    async #advance(params) {
        try {
            const { fired, nowMs } = await call("advance", params);
            this.advanceTo(nowMs);
            const newest = fired.at(-1);
            const more = fired.length > 1 ? ` and ${fired.length - 1} more` : "";
            setText(this.#answer, newest ? `${newest.session}: ${newest.fires}${more}` : "no timer was due");
        } catch (error) {
            setText(this.#answer, errorSentence(error));
        }
    }
}
