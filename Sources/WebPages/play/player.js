import { find } from "../shared/dom.js";

/**
 * Stores the name that is typed into the field `player`, if there is one. The name is proposed again in the session's next
 * state and after a reload.
 */
export function rememberPlayerName(fields, session) {
    const input = fields.has("player") ? find("input", fields.get("player").element) : null;
    if (input === null) return;
    const key = `gamed player ${session}`;
    input.value = localStorage.getItem(key) ?? "";
    input.addEventListener("input", () => localStorage.setItem(key, input.value));
}
