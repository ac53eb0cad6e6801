import { find, setText } from "./dom.js";

/*
 * Announces changes to screen readers. If several changes come within a short time, only the newest is announced, so that the
 * speech can follow.
 */

const minimumPauseMs = 1_500;
/** Of several changes within this time, only the newest is announced. */
const minimumDelayMs = 50;
let pendingText = "";
let timer = 0;
let announcedAt = -minimumPauseMs;

export function announce(text) {
    pendingText = text;
    if (timer !== 0) return;
    timer = setTimeout(announcePending, Math.max(minimumDelayMs, announcedAt + minimumPauseMs - performance.now()));
}

function announcePending() {
    timer = 0;
    announcedAt = performance.now();
    setText(find("#announcer"), pendingText);
}
