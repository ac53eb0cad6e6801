import { elapsedText } from "../shared/time.js";

/**
 * A value as an audience reads it: times in minutes and seconds, with tenths below a minute. `criterion` is "time" or the name
 * of a datum; the value is in milliseconds if it is "time" or if the name ends with "Ms".
 */
export function score(value, criterion) {
    if (criterion !== "time" && !criterion.endsWith("Ms")) return value.toLocaleString();
    return value < 60_000 ? `${(Math.floor(value / 100) / 10).toFixed(1)} s` : elapsedText(value);
}
