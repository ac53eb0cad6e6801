import { elapsedText } from "../shared/time.js";
import { spoken } from "../shared/words.js";
import { agoText } from "./instants.js";

/**
 * Texts for people about Bluetooth devices. The parameters are the result of the method `bluetooth`, one of its devices, or
 * the newest press of a device.
 */

/** A device's name; its address if the name is not known. */
export function nameOf({ device, name }) {
    return name ?? device;
}

/** The state of the Bluetooth controller, and the reason if the controller has failed. */
export function controllerText({ state, why }) {
    if (state === "ready") return "ready";
    if (state === "opening" || state === "starting") return "starting…";
    return why === undefined ? state : `${state}: ${why}`;
}

/**
 * After this time without a packet, a device that is not connected is shown as not heard. Devices that advertise send a packet
 * every few seconds.
 */
const silentMs = 10_000;

/** The state of the connection to a device. `heardMs` and `lostMs`: the time since the last packet, and since the loss. */
export function connectionText({ state, mapped, heardMs, lostMs }) {
    if (state === "ready") return "in reach";
    if (state === "connecting") return "connecting…";
    if (state === "discovering") return "reading its services…";
    if (state === "away" && lostMs !== undefined) return `away for ${elapsedText(lostMs)}`;
    if (state === "away" || heardMs > silentMs) return `not heard for ${elapsedText(heardMs)}`;
    return mapped ? "advertising, not connected" : "advertising, not mapped";
}

/**
 * The result of a press. The session took the event of the press, deferred the event, or refused it; then the text says why.
 */
export function outcomeText(outcome) {
    if (!isAccepted(outcome)) return `refused: ${spoken(outcome)}`;
    return outcome === "defer" ? "kept for later" : "taken";
}

/** Whether `outcome` is the kind of a change; otherwise it is the name of a refusal. */
export function isAccepted(outcome) {
    return ["enter", "keep", "defer"].includes(outcome);
}

/**
 * How long ago a press was handled. `ageMs` is the age of the press when its event was sent to the session; an age of 0 is not
 * shown.
 */
export function pressAgeText({ atMs, ageMs }, nowMs) {
    const text = `${agoText(nowMs - atMs)} ago`;
    return ageMs > 0 ? `${text}, on its way for ${ageMs} ms` : text;
}

/**
 * The counts of a device since the daemon's start, without zeros, and its last value. `bounced` counts the presses within the
 * debounce time. `limited` counts the presses beyond the number that the daemon takes from one device in a second.
 */
export function countsText({ taken, refused, bounced, limited, lastValue }) {
    const parts = [];
    if (taken > 0) parts.push(`${taken} taken`);
    if (refused > 0) parts.push(`${refused} refused`);
    if (bounced > 0) parts.push(`${bounced} bounced`);
    if (limited > 0) parts.push(`${limited} too many`);
    if (lastValue) parts.push(`last value ${lastValue.value}`);
    return parts.join(" · ");
}

/** How many packets of the controller could not be read, and how many presses were dropped because too many were waiting. */
export function packetErrorsText({ malformed, dropped }) {
    const parts = [];
    if (malformed > 0) parts.push(`${malformed} packets not understood`);
    if (dropped > 0) parts.push(`${dropped} presses dropped`);
    return parts.join(", ");
}

/** The title of the list of devices that no `map` line of the configuration names. */
export function othersText(count) {
    return count === 1 ? "1 other heard" : `${count} others heard`;
}
