import { h, setText } from "../shared/dom.js";

/** The signal strength in dBm from which each bar is full. */
const thresholdsDBm = [-90, -80, -70, -60];

/** Shows the strength of a Bluetooth device's signal: in dBm, and as bars. */
export class SignalStrength {
    #bars = thresholdsDBm.map(() => h("i"));
    #numberText = h("span");
    element;

    constructor() {
        const bars = h("span", { class: "bars", "aria-hidden": "true" }, this.#bars);
        const label = h("span", { class: "visually-hidden" }, "Signal ");
        this.element = h("span", { class: "signal" }, bars, label, this.#numberText);
    }

    /** Shows the strength `rssi` of a device; nothing if it is not known or the device is away. */
    show({ rssi, state }) {
        this.element.hidden = rssi === undefined || state === "away";
        if (this.element.hidden) return;
        // The text has a real minus sign.
        setText(this.#numberText, `${rssi} dBm`.replace("-", "−"));
        for (const [index, bar] of this.#bars.entries()) {
            bar.classList.toggle("full", rssi >= thresholdsDBm[index]);
        }
    }
}
