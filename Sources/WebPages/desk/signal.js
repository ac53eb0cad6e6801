import { h, say } from "../shared/dom.js";

/** The signal strength of a device: in dBm, and as bars. */
const least = [-90, -80, -70, -60];

export class Signal {
    #bars = least.map(() => h("i"));
    #number = h("span");
    element;

    constructor() {
        const bars = h("span", { class: "bars", "aria-hidden": "true" }, this.#bars);
        const label = h("span", { class: "unseen" }, "Signal ");
        this.element = h("span", { class: "signal" }, bars, label, this.#number);
    }

    /** Clears the signal of a device that is away. */
    show({ rssi, state }) {
        this.element.hidden = rssi === undefined || state === "away";
        if (this.element.hidden) return;
        say(this.#number, `${rssi} dBm`.replace("-", "−"));
        for (const [place, bar] of this.#bars.entries()) {
            bar.classList.toggle("full", rssi >= least[place]);
        }
    }
}
