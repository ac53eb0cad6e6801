import { announce } from "../shared/announce.js";
import { h, setText } from "../shared/dom.js";
import { DeviceControls } from "./devicecontrols.js";
import { connectionText, countsText, isTaken, nameOf, outcomeText, pressAgeText } from "./devicewords.js";
import { Signal } from "./signal.js";

/*
 * One device: its connection, its signal, and the result of its newest press.
 */

const highlightMs = 1_500;
const lowBatteryPercent = 15;

export class DeviceRow {
    element;
    #order;
    #name = h("strong");
    #address = h("code");
    #state = h("p", { class: "state" });
    #signal = new Signal();
    #battery = h("span", { class: "battery" });
    #verdict = h("span", { class: "verdict" });
    #event = h("strong");
    #session = h("a");
    #age = h("span", { class: "age" });
    #last = h("p", { class: "last" });
    #counts = h("span", { class: "counts" });
    #problem = h("p", { class: "problem" });
    #controls = null;
    /** The device as it was shown before. */
    #previous = null;
    #announcedText = "";
    #highlightTimer = 0;

    /** `order(button, params)` sends an order to the simulated device; see `DeviceControls`. */
    constructor(order) {
        this.#order = order;
        const target = h("span", {}, this.#event, " → ", this.#session);
        this.#last.append(this.#verdict, target, this.#age);
        const names = h("p", { class: "names" }, this.#name, this.#address);
        const radio = h("p", { class: "radio" }, this.#signal.element, this.#battery);
        const results = h("div", { class: "results" }, this.#last, this.#counts, this.#problem);
        this.element = h("li", {}, names, this.#state, radio, results);
    }

    show(device, nowMs, isControllable) {
        setText(this.#name, nameOf(device));
        setText(this.#address, device.name === undefined ? "" : device.device);
        setText(this.#state, connectionText(device));
        this.element.dataset.device = device.device;
        this.element.dataset.state = device.state;
        this.#signal.show(device);
        this.#showBattery(device);
        this.#showLast(device.lastPress, nowMs);
        setText(this.#counts, countsText(device));
        setText(this.#problem, device.problem ?? "");
        this.#showControls(device, isControllable);
        this.#showPress(device);
        this.#announcePresence(device);
        this.#previous = device;
    }

    #showBattery({ battery }) {
        this.#battery.hidden = battery === undefined;
        const isLow = battery <= lowBatteryPercent;
        this.#battery.classList.toggle("low", isLow);
        setText(this.#battery, `battery ${battery} %${isLow ? ", low" : ""}`);
    }

    #showLast(last, nowMs) {
        this.#last.hidden = !last;
        if (!last) return;
        this.#verdict.dataset.outcome = isTaken(last.outcome) ? "taken" : "refused";
        setText(this.#verdict, outcomeText(last.outcome));
        setText(this.#event, last.event);
        setText(this.#session, last.session);
        this.#session.href = `#${new URLSearchParams({ session: last.session })}`;
        setText(this.#age, pressAgeText(last, nowMs));
    }

    #showControls(device, isControllable) {
        const name = nameOf(device);
        if (this.#controls && !(isControllable && this.#controls.name === name)) {
            for (const element of this.#controls.elements) element.remove();
            this.#controls = null;
        }
        if (!isControllable || this.#controls) return;
        this.#controls = new DeviceControls(device.device, name, this.#order);
        this.element.append(...this.#controls.elements);
    }

    /** Highlights the row for a new press, but not when the row is shown for the first time. */
    #showPress({ taken, refused, lastPress }) {
        if (!lastPress || !(taken + refused > this.#previous?.taken + this.#previous?.refused)) return;
        clearTimeout(this.#highlightTimer);
        this.element.dataset.highlight = isTaken(lastPress.outcome) ? "taken" : "refused";
        this.#highlightTimer = setTimeout(() => delete this.element.dataset.highlight, highlightMs);
    }

    /** Tells screen readers whether the device is in reach or away. Other states do not last, and are not announced. */
    #announcePresence(device) {
        if (device.state !== "ready" && device.state !== "away") return;
        const text = `${nameOf(device)} is ${device.state === "ready" ? "in reach" : "away"}`;
        if (this.#announcedText !== "" && this.#announcedText !== text) announce(text);
        this.#announcedText = text;
    }
}
