import { call, NoAnswer } from "./rpc.js";

/**
 * Calls a method because a button was pressed, and returns the result. The button is busy until the answer comes. If the
 * button is busy already, calls nothing and returns null.
 */
export async function callForButton(button, request, method = "send") {
    if (button.getAttribute("aria-busy") === "true") return null;
    button.setAttribute("aria-busy", "true");
    try {
        return await call(method, request);
    } finally {
        button.removeAttribute("aria-busy");
    }
}

/** The ids of requests to which no answer came, by entry and request. */
const unanswered = new Map();

/**
 * Sends an event for a button. Returns the change; null if the button is busy already. A request without an answer may have
 * been executed, so the same request in the same entry is sent with the same id.
 */
export async function pressEvent(button, request, entry) {
    const key = JSON.stringify([entry, request]);
    const id = unanswered.get(key) ?? freshRequestId();
    try {
        const change = await callForButton(button, { ...request, id });
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
