import { DaemonClock } from "../shared/daemonclock.js";
import { find, h, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";
import { instantText, timeOfDay } from "../shared/time.js";

/**
 * The daemon's clock. A real clock moves by itself. A virtual clock moves only when an operator advances it, for example
 * with the buttons of this part.
 */
export class DeskClock {
    #clock = new DaemonClock();
    #element = find("#clock");
    #timer = 0;
    #controls = find("#advance");
    #answer;

    constructor() {
        this.#build();
    }

    set(isVirtual, nowMs, mayAdvance) {
        this.#controls.hidden = !(isVirtual && mayAdvance);
        this.#element.dataset.kind = isVirtual ? "virtual" : "real";
        setText(find(".kind", this.#element), isVirtual ? "Virtual clock" : "Clock");
        this.#clock.set(isVirtual, nowMs);
        this.#show();
    }

    /** Takes an instant that the daemon has reached. */
    advanceTo(atMs) {
        if (this.#clock.advanceTo(atMs)) this.#show();
    }

    get nowMs() {
        return this.#clock.nowMs;
    }

    #show() {
        clearTimeout(this.#timer);
        const timeElement = find(".time", this.#element);
        const now = this.nowMs;
        if (this.#clock.isVirtual) return setText(timeElement, instantText(now, true));
        setText(timeElement, timeOfDay(new Date(now)));
        this.#timer = setTimeout(() => this.#show(), 1000 - (now % 1000));
    }

    #build() {
        const step = (by) =>
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
        const next = () => this.#advance({ toNext: true });
        this.#answer = h("span", { class: "answer", role: "status" });
        this.#controls.append(
            ...["1s", "10s", "30s"].map(step),
            h("button", { type: "button", onclick: next }, "Next timer"),
            form,
            this.#answer,
        );
    }

    async #advance(params) {
        try {
            const { fired, nowMs } = await call("advance", params);
            this.advanceTo(nowMs);
            const newest = fired.at(-1);
            const more = fired.length > 1 ? ` and ${fired.length - 1} more` : "";
            setText(this.#answer, newest ? `${newest.session}: ${newest.fires}${more}` : "nothing was due");
        } catch (error) {
            setText(this.#answer, errorSentence(error));
        }
    }
}
