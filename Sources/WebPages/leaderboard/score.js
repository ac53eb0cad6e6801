import { elapsedText } from "../shared/time.js";

/**
 * A row's value as an audience reads it. `criterion` is "time" or the name of a datum. If `criterion` is "time" or ends with
 * "Ms", the value is in milliseconds. The text then has minutes and seconds. Below a minute, it has seconds with tenths.
 */
export function scoreText(value, criterion) {
    if (criterion !== "time" && !criterion.endsWith("Ms")) return value.toLocaleString();
    return value < 60_000 ? `${(Math.floor(value / 100) / 10).toFixed(1)} s` : elapsedText(value);
}
