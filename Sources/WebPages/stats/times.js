import { elapsedText } from "../shared/time.js";

/**
 * The texts of the durations of a table, in milliseconds, all in one form, as `gamectl stats` has them. If all are shorter than a
 * minute, they are in seconds: "4.2 s", or "0.04 s" and "4.20 s" if one is shorter than a second. Otherwise they are rounded up to
 * whole seconds: "1:12", and "< 0:01" for less than a second.
 */
export function durationTexts(durations) {
    const isShort = (ms) => ms > 0 && ms < 1000;
    if (durations.some((ms) => ms >= 60_000)) {
        return durations.map((ms) => (isShort(ms) ? "< 0:01" : elapsedText(Math.ceil(ms / 1000) * 1000)));
    }
    const unit = durations.some(isShort) ? 10 : 100;
    return durations.map((ms) => `${((Math.round(ms / unit) * unit) / 1000).toFixed(unit === 10 ? 2 : 1)} s`);
}
