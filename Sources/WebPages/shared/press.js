import { call } from "./rpc.js";

/**
 * Sends an event for a button, or calls another method, and returns the change. A second press while
 * the first is under way does nothing and returns null.
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
