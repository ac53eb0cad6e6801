import { fill, h, one, say } from "../shared/dom.js";
import { press } from "../shared/press.js";
import { call } from "../shared/rpc.js";
import { DeviceRow } from "./devicerow.js";
import { others, readiness, troubles } from "./devicewords.js";
import { Pulse } from "./pulse.js";

/**
 * The Bluetooth devices: the mapped ones, and other received ones. The stream does not report them, so the
 * page asks the server, as long as a controller is configured.
 */
export class Devices {
    #element = one("#devices");
    #room;
    #clock;
    #onName;
    #pulse = new Pulse(() => this.#ask());
    #rows = new Map();
    #asked = 0;
    #shown = 0;
    #place = h("code");
    #state = h("span", { class: "says" });
    #troubles = h("span", { class: "troubles" });
    #mapped = h("ul", { class: "mapped" });
    #none = h("p", { class: "help" });
    #others = h("ul");
    #folded = h("details", {}, h("summary"), this.#others);

    /** Calls `onName` when a device's name has become known; `room.names` contains it then. */
    constructor(room, clock, onName) {
        [this.#room, this.#clock, this.#onName] = [room, clock, onName];
        const lamp = h("span", { class: "lamp" });
        const controller = h("p", { class: "controller" }, lamp, this.#place, this.#state);
        const title = h("h2", { id: "devices-title" }, "Devices");
        const top = h("header", {}, title, controller, this.#troubles);
        this.#element.append(top, this.#mapped, this.#none, this.#folded);
    }

    /** The page is connected; to another daemon, if `instance` has changed. */
    start(isNew) {
        if (isNew) this.#forget();
        this.#pulse.start();
    }

    stop() {
        this.#pulse.stop();
    }

    soon() {
        this.#pulse.soon();
    }

    /** An event has arrived, perhaps from a device. */
    heard(source) {
        if (source?.kind === "bluetooth") this.#pulse.soon();
    }

    #forget() {
        this.#rows.clear();
        this.#room.names.clear();
        this.#element.hidden = true;
        fill(this.#mapped, []);
        fill(this.#others, []);
    }

    async #ask() {
        this.#asked += 1;
        const number = this.#asked;
        try {
            this.#take(number, await call("bluetooth"));
        } catch (error) {
            // A page without the right shows no devices. Other errors do not last, or the stream reports them.
            if (error.message === "forbidden") this.#take(number, { state: "off" });
        }
    }

    /** Shows the effect of an order at once; its result over the radio follows a moment later. */
    async #order(button, params) {
        this.#asked += 1;
        const number = this.#asked;
        const status = await press(button, params, "bluetooth");
        if (status) this.#take(number, status);
        this.#pulse.soon();
    }

    /** Of two answers in the wrong order, the one to the later request is used. */
    #take(number, status) {
        if (number < this.#shown || this.#room.isLost) return;
        this.#shown = number;
        this.#element.hidden = status.state === "off";
        // This can only change with a restart of the daemon.
        if (status.state === "off") return this.#pulse.stop();
        this.#showController(status);
        this.#learnNames(status.devices);
        const isInHand = status.simulated && this.#room.rights.hasEverywhere("operate");
        this.#showDevices(status.devices, Boolean(isInHand));
    }

    #showController(status) {
        this.#element.dataset.controller = status.state;
        say(this.#place, status.controller);
        say(this.#state, readiness(status));
        say(this.#troubles, troubles(status));
    }

    #learnNames(devices) {
        const { names } = this.#room;
        const news = devices.filter(({ device, name }) => name && names.get(device) !== name);
        for (const { device, name } of news) names.set(device, name);
        if (news.length > 0) this.#onName();
    }

    #showDevices(devices, isInHand) {
        const before = this.#rows;
        this.#rows = new Map();
        const now = this.#clock.nowMs;
        const mapped = [];
        const rest = [];
        for (const device of devices) {
            const row = before.get(device.device) ?? new DeviceRow((...of) => this.#order(...of));
            row.show(device, now, isInHand && device.mapped);
            this.#rows.set(device.device, row);
            (device.mapped ? mapped : rest).push(row.element);
        }
        fill(this.#mapped, mapped);
        fill(this.#others, rest);
        say(this.#none, mapped.length > 0 ? "" : "No device is there that the configuration maps.");
        say(this.#folded.firstChild, others(rest.length));
        this.#folded.hidden = rest.length === 0;
    }
}
