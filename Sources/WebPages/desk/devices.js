import { find, h, setChildren, setText } from "../shared/dom.js";
import { callForButton } from "../shared/press.js";
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
    /**
     * An object that all parts of the desk share. This part uses the rights, the devices' names, and whether the connection is
     * lost.
     */
    #context;
    /** The `DeskClock`, which knows the daemon's time. */
    #clock;
    #onNewNames;
    #poller = new Poller(() => this.#request());
    #rowsByAddress = new Map();
    /** The number of requests so far; each request gets the next number. */
    #requestCount = 0;
    /** The number of the request whose answer is shown. */
    #shownRequest = 0;
    #controllerName = h("code");
    #controllerState = h("span", { class: "lamp-text" });
    /** How many packets of the controller were not understood, and how many presses were dropped. */
    #packetErrors = h("span", { class: "packet-errors" });
    /** The devices that a `map` line of the configuration names. */
    #mappedList = h("ul", { class: "mapped" });
    #noDevices = h("p", { class: "help" });
    /** The devices that were heard, but that no `map` line names. */
    #othersList = h("ul");
    #othersSummary = h("summary");
    #othersDetails = h("details", {}, this.#othersSummary, this.#othersList);

    /** `clock` is the `DeskClock`. Calls `onNewNames()` after names of devices have been added to `context.deviceNames`. */
    constructor(context, clock, onNewNames) {
        [this.#context, this.#clock, this.#onNewNames] = [context, clock, onNewNames];
        const lamp = h("span", { class: "lamp" });
        const controller = h("p", { class: "controller" }, lamp, this.#controllerName, this.#controllerState);
        const title = h("h2", { id: "devices-title" }, "Devices");
        const header = h("header", {}, title, controller, this.#packetErrors);
        this.#element.append(header, this.#mappedList, this.#noDevices, this.#othersDetails);
    }

    /** Called when the page has connected. `isNew` is false if the page connects again to the `instance` that it shows. */
    start(isNew) {
        if (isNew) this.#clear();
        this.#poller.start();
    }

    stop() {
        this.#poller.stop();
    }

    /** Asks the server in a moment, before the next request of the poller is due. */
    askSoon() {
        this.#poller.callSoon();
    }

    /** Called when an event has arrived. `source` is its sender; an event from a device changes what this part shows. */
    handleEventFrom(source) {
        if (source?.kind === "bluetooth") this.#poller.callSoon();
    }

    #clear() {
        this.#rowsByAddress.clear();
        this.#context.deviceNames.clear();
        this.#element.hidden = true;
        setChildren(this.#mappedList, []);
        setChildren(this.#othersList, []);
    }

    async #request() {
        this.#requestCount += 1;
        const number = this.#requestCount;
        try {
            this.#show(number, await call("bluetooth"));
        } catch (error) {
            // Without the right to see devices, the page hides this part. Other errors are temporary: the next request follows.
            if (error.message === "forbidden") this.#show(number, { state: "off" });
        }
    }

    /**
     * Sends a command to a simulated device, such as to press one of its buttons, and shows the reply. The device carries out
     * the command a moment later, so the page asks again soon. `button` is the button of the page that the user clicked, and
     * `params` are the parameters of the method `bluetooth`.
     */
    async #sendCommand(button, params) {
        this.#requestCount += 1;
        const number = this.#requestCount;
        const status = await callForButton(button, params, "bluetooth");
        if (status) this.#show(number, status);
        this.#poller.callSoon();
    }

    /**
     * Shows an answer, unless the answer to a later request has been shown already. `status` is the result of the method
     * `bluetooth`; its state `off` means that no controller is configured.
     */
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
        setText(this.#controllerState, controllerText(status));
        setText(this.#packetErrors, packetErrorsText(status));
    }

    #recordNames(devices) {
        const { deviceNames } = this.#context;
        const changed = devices.filter(({ device, name }) => name && deviceNames.get(device) !== name);
        for (const { device, name } of changed) deviceNames.set(device, name);
        if (changed.length > 0) this.#onNewNames();
    }

    #showDevices(devices, isControllable) {
        const previousRows = this.#rowsByAddress;
        this.#rowsByAddress = new Map();
        const { nowMs } = this.#clock;
        const mapped = [];
        const unmapped = [];
        for (const device of devices) {
            const address = device.device;
            const row = previousRows.get(address) ?? new DeviceRow((button, params) => this.#sendCommand(button, params));
            row.show(device, nowMs, isControllable && device.mapped);
            this.#rowsByAddress.set(address, row);
            (device.mapped ? mapped : unmapped).push(row.element);
        }
        setChildren(this.#mappedList, mapped);
        setChildren(this.#othersList, unmapped);
        setText(this.#noDevices, mapped.length > 0 ? "" : "No device matches a map line of the configuration.");
        setText(this.#othersSummary, othersText(unmapped.length));
        this.#othersDetails.hidden = unmapped.length === 0;
    }
}
