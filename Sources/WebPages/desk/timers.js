import { h, setText } from "../shared/dom.js";
import { drawnTimersOf, Rings } from "../shared/rings.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";
import { SetTimeDialog } from "./settimedialog.js";

/** The timers of the shown session as rings, with the operator's buttons for each timer. */
export class Timers {
    element = h("div", { class: "timers" });
    /** The `PresentSession`: the shown session, as the daemon has reported it. */
    #presentSession;
    /**
     * An object that all parts of the desk share. This part uses the rights, whether the clock is virtual, and whether the
     * connection is lost.
     */
    #context;
    #rings;
    #list = h("div", { class: "rings" });
    /** The button that pauses or resumes all timers of the state. The owner of this object adds it to the page. */
    pauseAllButton = h("button", { type: "button", class: "quiet all", onclick: () => this.#pauseAll() });
    #areAllPaused = false;
    #setTimeDialog = new SetTimeDialog();
    #refusalText = h("p", { class: "answer", role: "status" });

    constructor(presentSession, context) {
        [this.#presentSession, this.#context] = [presentSession, context];
        this.#rings = new Rings(this.#list, (ring, timer) => this.#withButtons(ring, timer));
        this.element.append(this.#list, this.#refusalText);
    }

    /** Shows the timers. Called when the shown session has changed, or the connection is lost. */
    show() {
        const { session, receivedAt, isClosed, problem } = this.#presentSession;
        const timers = problem || isClosed ? [] : drawnTimersOf(session);
        const isMoving = !this.#context.isVirtual && !this.#context.isLost;
        const { titles } = this.#presentSession;
        const titleOf = (timer) => titles.timer(session.state, timer);
        this.#rings.show(timers, receivedAt, isMoving, this.#presentSession.name, titleOf);
        this.element.hidden = timers.length === 0;
        this.pauseAllButton.hidden = timers.length < 2;
        // Only the timers that were paused together are resumed together, so one of them is enough.
        this.#areAllPaused = timers.some((timer) => timer.held) || timers.every((timer) => timer.paused);
        setText(this.pauseAllButton, this.#areAllPaused ? "Resume all" : "Pause all");
        this.element.classList.toggle("operable", this.#context.rights.has("operate", session?.session ?? ""));
    }

    /** Shows a beat of the pendulum that sends the signal `fires`. */
    beat(fires) {
        this.#rings.beat(fires);
    }

    /** The element that contains the ring of a timer and the buttons for the timer. */
    #withButtons(ring, timer) {
        const { name } = ring;
        const commandSender = (action, by) => () => this.#sendCommand({ fires: timer.fires, action, by });
        const button = (text, label, onclick) =>
            h("button", { type: "button", "aria-label": `${label}: ${name}`, onclick }, text);
        let isPaused = timer.paused;
        const pauseOrResume = () => commandSender(isPaused ? "resume" : "pause")();
        const pauseButton = button("Pause", "Pause", pauseOrResume);
        const buttons = [pauseButton, button("Restart", "Restart", commandSender("restart"))];
        const askForTime = () => this.#setTimeDialog.ask(this.#presentSession.name, timer.fires, name);
        if (timer.kind === "stopwatch") buttons.push(button("Set", "Set the time that is spent", askForTime));
        if (timer.kind === "countdown") {
            buttons.push(button("Set", "Set the time that is left", askForTime));
            // A line never ends between the two buttons of a pair.
            const pair = (amount, words, by) =>
                h("span", { class: "pair" }, [
                    button(`−${amount}`, `Shorten by ${words}`, commandSender("shorten", by)),
                    button(`+${amount}`, `Extend by ${words}`, commandSender("extend", by)),
                ]);
            buttons.push(pair("1 m", "one minute", "1m"), pair("10 s", "10 seconds", "10s"));
        }
        const controls = h("fieldset", { class: "plain needs-connection controls", "aria-label": name }, buttons);
        const element = h("div", { class: `timer ${timer.kind}` }, ring.element, controls);
        // `Rings` dispatches this event when it shows a newer report on the timer.
        element.addEventListener("timer", ({ detail }) => {
            isPaused = detail.paused;
            setText(pauseButton, isPaused ? "Resume" : "Pause");
            pauseButton.setAttribute("aria-label", `${isPaused ? "Resume" : "Pause"}: ${name}`);
        });
        return element;
    }

    #pauseAll() {
        return this.#sendCommand({ fires: "*", action: this.#areAllPaused ? "resume" : "pause" });
    }

    /** Calls the method `timer`, which operates the timers that send the signal `fires`; `*` means all timers. */
    async #sendCommand(params) {
        try {
            await call("timer", { session: this.#presentSession.name, ...params });
            setText(this.#refusalText, "");
        } catch (error) {
            setText(this.#refusalText, errorSentence(error));
        }
    }
}
