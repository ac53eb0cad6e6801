import { h, setText } from "../shared/dom.js";
import { Rings } from "../shared/rings.js";
import { call } from "../shared/rpc.js";
import { errorSentence } from "../shared/refusal.js";
import { SetTimeDialog } from "./settime.js";

/** The state's timers as rings, with the operator's buttons for each. */
export class Timers {
    element = h("div", { class: "timers" });
    #present;
    /** An object that all parts of the desk share. This part uses the rights, whether the clock is virtual, and whether the connection is lost. */
    #context;
    #rings;
    #list = h("div", { class: "rings" });
    /** Pauses or resumes all timers of the state. */
    pauseAllButton = h("button", { type: "button", class: "quiet all", onclick: () => this.#pauseAll() });
    #areAllPaused = false;
    #setTime = new SetTimeDialog();
    #answer = h("p", { class: "answer", role: "status" });

    constructor(present, context) {
        [this.#present, this.#context] = [present, context];
        this.#rings = new Rings(this.#list, (ring, timer) => this.#withButtons(ring, timer));
        this.element.append(this.#list, this.#answer);
    }

    show() {
        const { session, receivedAt, isClosed, problem } = this.#present;
        const timers = problem || isClosed ? [] : (session?.timers ?? []);
        const isMoving = !this.#context.isVirtual && !this.#context.isLost;
        const { titles } = this.#present;
        const nameOf = (timer) => titles.timer(session.state, timer);
        this.#rings.show(timers, receivedAt, isMoving, this.#present.name, nameOf);
        this.element.hidden = timers.length === 0;
        this.pauseAllButton.hidden = timers.length < 2;
        this.#areAllPaused = timers.every((timer) => timer.paused);
        setText(this.pauseAllButton, this.#areAllPaused ? "Resume all" : "Pause all");
        this.element.classList.toggle("operated", this.#context.rights.has("operate", session?.session ?? ""));
    }

    beat(fires) {
        this.#rings.beat(fires);
    }

    #withButtons(ring, timer) {
        const { name } = ring;
        const order = (action, by) => () => this.#order({ fires: timer.fires, action, by });
        const button = (text, label, onclick) =>
            h("button", { type: "button", "aria-label": `${label}: ${name}`, onclick }, text);
        let isPaused = timer.paused;
        const toggle = () => order(isPaused ? "resume" : "pause")();
        const pause = button("Pause", "Pause", toggle);
        const buttons = [pause, button("Restart", "Restart", order("restart"))];
        const set = () => this.#setTime.ask(this.#present.name, timer.fires, name);
        if (timer.kind === "countdown") {
            buttons.push(button("Set", "Set the time that is left", set));
            buttons.push(button("−10 s", "Shorten by 10 seconds", order("shorten", "10s")));
            buttons.push(button("+10 s", "Extend by 10 seconds", order("extend", "10s")));
            buttons.push(button("+1 m", "Extend by one minute", order("extend", "1m")));
        }
        const orders = h("fieldset", { class: "plain needs-connection controls", "aria-label": name }, buttons);
        const element = h("div", { class: `timer ${timer.kind}` }, ring.element, orders);
        element.addEventListener("timer", ({ detail }) => {
            isPaused = detail.paused;
            setText(pause, isPaused ? "Resume" : "Pause");
            pause.setAttribute("aria-label", `${isPaused ? "Resume" : "Pause"}: ${name}`);
        });
        return element;
    }

    #pauseAll() {
        return this.#order({ fires: "*", action: this.#areAllPaused ? "resume" : "pause" });
    }

    async #order(params) {
        try {
            await call("timer", { session: this.#present.name, ...params });
            setText(this.#answer, "");
        } catch (error) {
            setText(this.#answer, errorSentence(error));
        }
    }
}
