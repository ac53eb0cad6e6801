import { one, say } from "./dom.js";

/**
 * Announces changes to screen readers: only the newest, and not more often than speech can
 * follow.
 */
const betweenMs = 1_500;
let next = "";
let timer = 0;
let toldAt = -betweenMs;

export function announce(text) {
    next = text;
    if (timer !== 0) return;
    timer = setTimeout(tell, Math.max(50, toldAt + betweenMs - performance.now()));
}

function tell() {
    timer = 0;
    toldAt = performance.now();
    say(one("#announcer"), next);
}
