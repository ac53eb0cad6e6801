/* Texts of times in milliseconds. Remaining times are rounded up, so that 0 appears only when no time is left. */

/** A remaining time: "9.5" below ten seconds, "0:12", "1:02:30"; in overtime "−0:05". */
export function remainingText(ms) {
    if (ms < 0) {
        const seconds = Math.floor(-ms / 1000);
        return (seconds > 0 ? "\u2212" : "") + minutesText(seconds);
    }
    const tenths = Math.ceil(ms / 100);
    if (tenths < 100) return (tenths / 10).toFixed(1);
    return minutesText(Math.ceil(ms / 1000));
}

/** A duration: "1 s", "0.25 s", "1:30". */
export function durationText(ms) {
    return ms < 60_000 ? `${ms / 1000} s` : minutesText(Math.round(ms / 1000));
}

/** How long something has lasted so far, in whole seconds: "0:12". */
export function elapsedText(ms) {
    return minutesText(Math.floor(ms / 1000));
}

function minutesText(seconds) {
    const [hours, remainder] = quotientAndRest(seconds, 3600);
    const [minute, second] = quotientAndRest(remainder, 60);
    return hours > 0 ? `${hours}:${pad(minute)}:${pad(second)}` : `${minute}:${pad(second)}`;
}

export function quotientAndRest(number, divisor) {
    return [Math.floor(number / divisor), number % divisor];
}

export function pad(number, length = 2) {
    return String(number).padStart(length, "0");
}
