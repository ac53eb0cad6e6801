import { h, setText } from "../shared/dom.js";
import { callForButton } from "../shared/press.js";
import { closedSentence } from "../shared/refusal.js";

/** The buttons that pause and resume the timers of all sessions that the user may operate. */
export class EveryRoom {
    element;
    #answer = h("p", { class: "answer", role: "status" });

    constructor() {
        const button = (text, action) => {
            const element = h("button", { type: "button", class: "quiet", "data-action": action }, text);
            element.addEventListener("click", () => this.#operate(element, action));
            return element;
        };
        const buttons = [button("Pause every room", "pause"), button("Resume every room", "resume")];
        const attributes = { class: "plain needs-connection", id: "every-room", "aria-label": "Every room" };
        this.element = h("fieldset", attributes, buttons, this.#answer);
    }

    async #operate(button, action) {
        try {
            const result = await callForButton(button, { session: "*", fires: "*", action }, "timer");
            if (result !== null) setText(this.#answer, answerText(result, action));
        } catch (error) {
            setText(this.#answer, closedSentence(error));
        }
    }
}

/** What the daemon has done: an operator must see at once if a room was left out. */
function answerText({ sessions, failed, more, missing }, action) {
    const rooms = (count) => (count === 1 ? "1 room" : `${count} rooms`);
    const done = `${rooms(sessions)} ${action === "pause" ? "paused" : "resumed"}.`;
    const notDone = failed.map(({ session }) => session).join(", ");
    const failures = failed.length > 0 ? ` Not done: ${notDone}${more ? " and more" : ""}.` : "";
    return done + failures + (missing ? " Some rooms could not be reached." : "");
}
