import { call, NoAnswer } from "./rpc.js";

/**
 * Calls a method for a pressed button and returns the result. The button is busy until the answer comes. Pressing a busy
 * button does nothing and returns null.
 */
export async function press(button, request, method = "send") {
    if (button.getAttribute("aria-busy") === "true") return null;
    button.setAttribute("aria-busy", "true");
    try {
        return await call(method, request);
    } finally {
        button.removeAttribute("aria-busy");
    }
}

/** The ids of events to which no answer came, by entry and event. */
const unanswered = new Map();

/**
 * Sends an event that was pressed in an entry of the session, and returns the change. If no answer comes, the event may
 * have been taken. If the user then presses the same event in the same entry, the page sends the same id again, so that the
 * server carries out the event only once.
 */
export async function pressEvent(button, request, entry) {
    const key = JSON.stringify([entry, request]);
    const id = unanswered.get(key) ?? freshRequestId();
    try {
        const change = await press(button, { ...request, id });
        if (change !== null) unanswered.delete(key);
        return change;
    } catch (error) {
        if (error instanceof NoAnswer) unanswered.set(key, id);
        else unanswered.delete(key);
        throw error;
    }
}

/** Makes a random id. Pages at a plain HTTP address do not have `crypto.randomUUID`. */
function freshRequestId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
