import { find, h, setChildren, setText } from "../shared/dom.js";
import { press } from "../shared/press.js";
import { call } from "../shared/rpc.js";
import { DeviceRow } from "./devicerow.js";
import { controllerText, othersText, packetErrorsText } from "./devicewords.js";
import { Poller } from "./poller.js";

/**
 * The Bluetooth devices: those that the configuration maps, and others that were heard. The event stream does not report
 * them, so the page asks the server each second, as long as a controller is configured.
 */
export class Devices {
    #element = find("#devices");
    /** An object that all parts of the desk share. This part uses the rights, the devices' names, and whether the connection is lost. */
    #context;
    #clock;
    #onName;
    #poller = new Poller(() => this.#ask());
    #rows = new Map();
    /** The numbers of the newest request, and of the request whose answer is shown. */
    #requestCount = 0;
    #shownRequest = 0;
    #controllerName = h("code");
    #state = h("span", { class: "lamp-text" });
    #packetErrors = h("span", { class: "packet-errors" });
    #mapped = h("ul", { class: "mapped" });
    #noDevices = h("p", { class: "help" });
    #others = h("ul");
    #othersDetails = h("details", {}, h("summary"), this.#others);

    /** Calls `onName()` after names of devices have been added to `context.deviceNames`. */
    constructor(context, clock, onName) {
        [this.#context, this.#clock, this.#onName] = [context, clock, onName];
        const lamp = h("span", { class: "lamp" });
        const controller = h("p", { class: "controller" }, lamp, this.#controllerName, this.#state);
        const title = h("h2", { id: "devices-title" }, "Devices");
        const header = h("header", {}, title, controller, this.#packetErrors);
        this.#element.append(header, this.#mapped, this.#noDevices, this.#othersDetails);
    }

    /** Called when the page has connected. `isNew` is false if the page connects again to the `instance` that it shows. */
    start(isNew) {
        if (isNew) this.#forget();
        this.#poller.start();
    }

    stop() {
        this.#poller.stop();
    }

    soon() {
        this.#poller.soon();
    }

    /** Called when an event has arrived from `source`, which may be a device. */
    heard(source) {
        if (source?.kind === "bluetooth") this.#poller.soon();
    }

    #forget() {
        this.#rows.clear();
        this.#context.deviceNames.clear();
        this.#element.hidden = true;
        setChildren(this.#mapped, []);
        setChildren(this.#others, []);
    }

    async #ask() {
        this.#requestCount += 1;
        const number = this.#requestCount;
        try {
            this.#show(number, await call("bluetooth"));
        } catch (error) {
            // A page that may not see devices shows none. All other errors do not last, or the stream reports them.
            if (error.message === "forbidden") this.#show(number, { state: "off" });
        }
    }

    /**
     * Sends an order to the simulated device and shows the reply. The effects over the radio follow a moment later, so the page
     * asks again soon.
     */
    async #order(button, params) {
        this.#requestCount += 1;
        const number = this.#requestCount;
        const status = await press(button, params, "bluetooth");
        if (status) this.#show(number, status);
        this.#poller.soon();
    }

    /** Shows an answer, unless the answer to a later request has been shown already. */
    #show(number, status) {
        if (number < this.#shownRequest || this.#context.isLost) return;
        this.#shownRequest = number;
        this.#element.hidden = status.state === "off";
        // A controller that is not configured can appear only after a restart of the daemon.
        if (status.state === "off") return this.#poller.stop();
        this.#showController(status);
        this.#recordNames(status.devices);
        const isControllable = status.simulated && this.#context.rights.hasEverywhere("operate");
        this.#showDevices(status.devices, Boolean(isControllable));
    }

    #showController(status) {
        this.#element.dataset.controller = status.state;
        setText(this.#controllerName, status.controller);
        setText(this.#state, controllerText(status));
        setText(this.#packetErrors, packetErrorsText(status));
    }

    #recordNames(devices) {
        const { deviceNames } = this.#context;
        const changed = devices.filter(({ device, name }) => name && deviceNames.get(device) !== name);
        for (const { device, name } of changed) deviceNames.set(device, name);
        if (changed.length > 0) this.#onName();
    }

    #showDevices(devices, isControllable) {
        const previousRows = this.#rows;
        this.#rows = new Map();
        const now = this.#clock.nowMs;
        const mapped = [];
        const unmapped = [];
        for (const device of devices) {
            const row = previousRows.get(device.device) ?? new DeviceRow((button, params) => this.#order(button, params));
            row.show(device, now, isControllable && device.mapped);
            this.#rows.set(device.device, row);
            (device.mapped ? mapped : unmapped).push(row.element);
        }
        setChildren(this.#mapped, mapped);
        setChildren(this.#others, unmapped);
        setText(this.#noDevices, mapped.length > 0 ? "" : "No device matches a map line of the configuration.");
        setText(this.#othersDetails.firstChild, othersText(unmapped.length));
        this.#othersDetails.hidden = unmapped.length === 0;
    }
}
