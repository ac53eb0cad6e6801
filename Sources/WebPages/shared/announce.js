import { one, say } from "./dom.js";

/**
 * Tells screen readers what has changed. Only the newest news is told, and not more often than a
 * voice can follow.
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
