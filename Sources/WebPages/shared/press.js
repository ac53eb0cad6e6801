import { call } from "./rpc.js";

/**
 * Sends an event for a button, or asks for another method, and says what changed. A second press
 * while the first is on its way is none, and answers null.
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
