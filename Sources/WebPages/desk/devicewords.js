import { ago, elapsed } from "../shared/time.js";
import { spoken } from "../shared/words.js";

/**
 * What the server says of Bluetooth devices, in words for people.
 */

export function nameOf({ device, name }) {
    return name ?? device;
}

/** Whether the controller listens; why not, if it does not. */
export function readiness({ state, why }) {
    if (state === "ready") return "ready";
    if (state === "opening" || state === "starting") return "starting…";
    return why === undefined ? state : `${state}: ${why}`;
}

/** Who advertises does so every few seconds at least. */
const silentMs = 10_000;

/** How far a device got. */
export function whereabouts({ state, mapped, heardMs, lostMs }) {
    if (state === "ready") return "in reach";
    if (state === "connecting") return "connecting…";
    if (state === "discovering") return "asking what it has…";
    if (state === "away" && lostMs !== undefined) return `away for ${elapsed(lostMs)}`;
    if (state === "away" || heardMs > silentMs) return `not heard for ${elapsed(heardMs)}`;
    return mapped ? "advertising, not connected" : "advertising, not mapped";
}

/** What became of a press: what the session made of it, or the name of the refusal. */
export function verdict(outcome) {
    if (!isTaken(outcome)) return `refused: ${spoken(outcome)}`;
    return outcome === "defer" ? "kept for later" : "taken";
}

export function isTaken(outcome) {
    return ["enter", "keep", "defer"].includes(outcome);
}

/** How long ago a press was, and how long it was on its way where that was not at once. */
export function pressAge({ atMs, ageMs }, nowMs) {
    const text = `${ago(nowMs - atMs)} ago`;
    return ageMs > 0 ? `${text}, on its way for ${ageMs} ms` : text;
}

/** What came of a device since the daemon began, as far as there was any. */
export function counts({ taken, refused, bounced, limited, lastValue }) {
    const parts = [];
    if (taken > 0) parts.push(`${taken} taken`);
    if (refused > 0) parts.push(`${refused} refused`);
    if (bounced > 0) parts.push(`${bounced} bounced`);
    if (limited > 0) parts.push(`${limited} too many`);
    if (lastValue) parts.push(`last value ${lastValue.value}`);
    return parts.join(" · ");
}

/** What went wrong on the way from the controller. */
export function troubles({ malformed, dropped }) {
    const parts = [];
    if (malformed > 0) parts.push(`${malformed} packets not understood`);
    if (dropped > 0) parts.push(`${dropped} presses dropped`);
    return parts.join(", ");
}

export function others(count) {
    return count === 1 ? "1 other heard" : `${count} others heard`;
}
