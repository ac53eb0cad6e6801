import { pad, quotientAndRest } from "../shared/time.js";

/* Texts of instants, and of how long ago they were. */

/** How long ago, in one unit: "12 s", "5 min", "3 h" or "2 d". */
export function agoText(ms) {
    const seconds = Math.max(0, Math.floor(ms / 1000));
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86_400)} d`;
}

/** An instant: since the start of a virtual clock, else local, with a date unless it is today's. */
export function instantText(atMs, isVirtual, time) {
    if (!isVirtual) {
        const date = new Date(time ?? atMs);
        const isToday = date.toDateString() === new Date().toDateString();
        const day = isToday ? "" : `${date.toLocaleDateString("sv")} `;
        return `${day}${timeOfDay(date)}.${pad(date.getMilliseconds(), 3)}`;
    }
    const [hours, remainder] = quotientAndRest(Math.floor(atMs / 1000), 3600);
    const [minute, second] = quotientAndRest(remainder, 60);
    return `${hours}:${pad(minute)}:${pad(second)}.${pad(Math.floor(atMs % 1000), 3)}`;
}

/** Hours, minutes and seconds, such as "09:05:00" in every locale. */
export function timeOfDay(date) {
    return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => pad(n)).join(":");
}
