import { one, setText } from "./dom.js";

/*
 * Announces changes to screen readers: only the newest, and not more often than speech can
 * follow.
 */

const minimumPauseMs = 1_500;
let pendingText = "";
let timer = 0;
let announcedAt = -minimumPauseMs;

export function announce(text) {
    pendingText = text;
    if (timer !== 0) return;
    timer = setTimeout(announcePending, Math.max(50, announcedAt + minimumPauseMs - performance.now()));
}

function announcePending() {
    timer = 0;
    announcedAt = performance.now();
    setText(one("#announcer"), pendingText);
}
