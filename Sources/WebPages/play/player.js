import { one } from "../shared/dom.js";

/**
 * The player's name: what was typed last into a field `player` of a session is proposed again in the next
 * state and after a reload.
 */
export function keepPlayer(fields, session) {
    const input = fields.has("player") ? one("input", fields.get("player").element) : null;
    if (input === null) return;
    const key = `gamed player ${session}`;
    input.value = localStorage.getItem(key) ?? "";
    input.addEventListener("input", () => localStorage.setItem(key, input.value));
}
