import { announce } from "../shared/announce.js";
import { h, setText } from "../shared/dom.js";
import { DeviceControls } from "./devicecontrols.js";
import { connectionText, countsText, isAccepted, nameOf, outcomeText, pressAgeText } from "./devicewords.js";
import { SignalStrength } from "./signalstrength.js";

/** How long a row is highlighted after a press. */
const highlightMs = 1_500;
const lowBatteryPercent = 15;

/** The row of one Bluetooth device: its connection, its signal, and the result of its newest press. */
export class DeviceRow {
    /** The list item that shows the row. */
    element;
    #sendCommand;
    #name = h("strong");
    #address = h("code");
    #state = h("p", { class: "state" });
    #signal = new SignalStrength();
    #battery = h("span", { class: "battery" });
    #verdict = h("span", { class: "verdict" });
    #event = h("strong");
    #session = h("a");
    #age = h("span", { class: "age" });
    #lastPress = h("p", { class: "last" });
    #counts = h("span", { class: "counts" });
    #problem = h("p", { class: "problem" });
    /** The `DeviceControls`; null if the user may not control the device. */
    #controls = null;
    /** The device as the previous call of `show` got it. */
    #previous = null;
    /** The newest text about the device's presence; announced only if it differs from the text before. */
    #presenceText = "";
    #highlightTimer = 0;

    /** `sendCommand(button, params)` sends a command to the simulated device; see `DeviceControls`. */
    constructor(sendCommand) {
        this.#sendCommand = sendCommand;
        const target = h("span", {}, this.#event, " → ", this.#session);
        this.#lastPress.append(this.#verdict, target, this.#age);
        const names = h("p", { class: "names" }, this.#name, this.#address);
        const radio = h("p", { class: "radio" }, this.#signal.element, this.#battery);
        const results = h("div", { class: "results" }, this.#lastPress, this.#counts, this.#problem);
        this.element = h("li", {}, names, this.#state, radio, results);
    }

    /**
     * Shows a device, which is an entry of the result of the method `bluetooth`; `device.device` is its address.
     * If `isControllable` is true, the row gets controls.
     */
    show(device, nowMs, isControllable) {
        setText(this.#name, nameOf(device));
        setText(this.#address, device.name === undefined ? "" : device.device);
        setText(this.#state, connectionText(device));
        this.element.dataset.device = device.device;
        this.element.dataset.state = device.state;
        this.#signal.show(device);
        this.#showBattery(device);
        this.#showLastPress(device.lastPress, nowMs);
        setText(this.#counts, countsText(device));
        setText(this.#problem, device.problem ?? "");
        this.#showControls(device, isControllable);
        this.#highlightPress(device);
        this.#announcePresence(device);
        this.#previous = device;
    }

    #showBattery({ battery }) {
        this.#battery.hidden = battery === undefined;
        const isLow = battery <= lowBatteryPercent;
        this.#battery.classList.toggle("low", isLow);
        setText(this.#battery, `battery ${battery} %${isLow ? ", low" : ""}`);
    }

    #showLastPress(press, nowMs) {
        this.#lastPress.hidden = !press;
        if (!press) return;
        this.#verdict.dataset.outcome = isAccepted(press.outcome) ? "taken" : "refused";
        setText(this.#verdict, outcomeText(press.outcome));
        setText(this.#event, press.event);
        setText(this.#session, press.session);
        this.#session.href = `#${new URLSearchParams({ session: press.session })}`;
        setText(this.#age, pressAgeText(press, nowMs));
    }

    /** Adds or removes the controls. They contain the device's name, so another name needs new ones. */
    #showControls(device, isControllable) {
        const name = nameOf(device);
        if (this.#controls && !(isControllable && this.#controls.name === name)) {
            for (const element of this.#controls.elements) element.remove();
            this.#controls = null;
        }
        if (!isControllable || this.#controls) return;
        this.#controls = new DeviceControls(device.device, name, this.#sendCommand);
        this.element.append(...this.#controls.elements);
    }

    /** Highlights the row for a new press, but not when the row is shown for the first time. */
    #highlightPress({ taken, refused, lastPress }) {
        if (!lastPress || !(taken + refused > this.#previous?.taken + this.#previous?.refused)) return;
        clearTimeout(this.#highlightTimer);
        this.element.dataset.highlight = isAccepted(lastPress.outcome) ? "taken" : "refused";
        this.#highlightTimer = setTimeout(() => delete this.element.dataset.highlight, highlightMs);
    }

    /** Tells screen readers whether the device is in reach or away. Other states do not last, and are not announced. */
    #announcePresence(device) {
        if (device.state !== "ready" && device.state !== "away") return;
        const text = `${nameOf(device)} is ${device.state === "ready" ? "in reach" : "away"}`;
        if (this.#presenceText !== "" && this.#presenceText !== text) announce(text);
        this.#presenceText = text;
    }
}
