import { call } from "./rpc.js";

/**
 * Sends an event for a button, and says what changed. A second press while the first is on its way
 * is none, and answers null.
 */
export async function press(button, request) {
    if (button.getAttribute("aria-busy") === "true") return null;
    button.setAttribute("aria-busy", "true");
    try {
        return await call("send", request);
    } finally {
        button.removeAttribute("aria-busy");
    }
}
