import { agoText, elapsedText } from "../shared/time.js";
import { spoken } from "../shared/words.js";

/**
 * Texts about Bluetooth devices in words for people.
 */

export function nameOf({ device, name }) {
    return name ?? device;
}

/** The controller's state, and the reason if it is not ready. */
export function controllerText({ state, why }) {
    if (state === "ready") return "ready";
    if (state === "opening" || state === "starting") return "starting…";
    return why === undefined ? state : `${state}: ${why}`;
}

/** After this time without an advertisement, a device is shown as not heard. Advertising devices send every few seconds. */
const silentMs = 10_000;

/** The state of a device's connection. */
export function connectionText({ state, mapped, heardMs, lostMs }) {
    if (state === "ready") return "in reach";
    if (state === "connecting") return "connecting…";
    if (state === "discovering") return "reading its services…";
    if (state === "away" && lostMs !== undefined) return `away for ${elapsedText(lostMs)}`;
    if (state === "away" || heardMs > silentMs) return `not heard for ${elapsedText(heardMs)}`;
    return mapped ? "advertising, not connected" : "advertising, not mapped";
}

/** The result of a press: what the session did, or the name of the refusal. */
export function outcomeText(outcome) {
    if (!isTaken(outcome)) return `refused: ${spoken(outcome)}`;
    return outcome === "defer" ? "kept for later" : "taken";
}

export function isTaken(outcome) {
    return ["enter", "keep", "defer"].includes(outcome);
}

/** How long ago a press was, and for how long its event was under way, if this is known. */
export function pressAgeText({ atMs, ageMs }, nowMs) {
    const text = `${agoText(nowMs - atMs)} ago`;
    return ageMs > 0 ? `${text}, on its way for ${ageMs} ms` : text;
}

/** The counts of a device since the daemon's start, without zeros. */
export function countsText({ taken, refused, bounced, limited, lastValue }) {
    const parts = [];
    if (taken > 0) parts.push(`${taken} taken`);
    if (refused > 0) parts.push(`${refused} refused`);
    if (bounced > 0) parts.push(`${bounced} bounced`);
    if (limited > 0) parts.push(`${limited} too many`);
    if (lastValue) parts.push(`last value ${lastValue.value}`);
    return parts.join(" · ");
}

/** The errors in the controller's packets. */
export function packetErrorsText({ malformed, dropped }) {
    const parts = [];
    if (malformed > 0) parts.push(`${malformed} packets not understood`);
    if (dropped > 0) parts.push(`${dropped} presses dropped`);
    return parts.join(", ");
}

export function othersText(count) {
    return count === 1 ? "1 other heard" : `${count} others heard`;
}
