import { find, setText } from "./dom.js";

/*
 * Announces changes to screen readers. Each announcement is followed by a pause. Of the texts that come during the pause, only
 * the newest is announced. So the speech does not fall behind.
 */

const minimumPauseMs = 1_500;
/** Texts that come at the same moment count as one change. */
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
