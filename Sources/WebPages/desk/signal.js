import { h, setText } from "../shared/dom.js";

/** The signal strength in dBm from which each bar is full. */
const thresholds = [-90, -80, -70, -60];

/** The signal strength of a device: in dBm, and as bars. */
export class Signal {
    #bars = thresholds.map(() => h("i"));
    #number = h("span");
    element;

    constructor() {
        const bars = h("span", { class: "bars", "aria-hidden": "true" }, this.#bars);
        const label = h("span", { class: "visually-hidden" }, "Signal ");
        this.element = h("span", { class: "signal" }, bars, label, this.#number);
    }

    /** Shows the signal of a device; nothing if the device is away. */
    show({ rssi, state }) {
        this.element.hidden = rssi === undefined || state === "away";
        if (this.element.hidden) return;
        setText(this.#number, `${rssi} dBm`.replace("-", "−"));
        for (const [index, bar] of this.#bars.entries()) {
            bar.classList.toggle("full", rssi >= thresholds[index]);
        }
    }
}
