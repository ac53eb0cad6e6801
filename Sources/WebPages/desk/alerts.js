import { announce } from "../shared/announce.js";
import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { instantText, timeOfDay } from "./instants.js";
import { Poller } from "./poller.js";

/** What does not work, at the top of the desk. The event stream does not report alerts. */
export class Alerts {
    #element = find("#alerts");
    #context;
    #changed;
    #showSession;
    #list = h("ul");
    #poller = new Poller(() => this.#ask());
    /** Counts the calls of `start` and `stop`, so that answers to earlier requests are ignored. */
    #generation = 0;
    /** The ids of the alerts that were announced. */
    #announcedIds = new Set();
    /** The alerts of the last answer, as JSON. */
    #shown = "";

    /** `changed` is called with the alerts, `showSession` with a name. */
    constructor(context, changed, showSession) {
        [this.#context, this.#changed, this.#showSession] = [context, changed, showSession];
        this.#element.append(this.#list);
    }

    start() {
        this.#generation += 1;
        this.#show([]);
        if (this.#context.rights.hasSomewhere("operate")) this.#poller.start();
    }

    stop() {
        this.#generation += 1;
        this.#poller.stop();
    }

    async #ask(params = {}) {
        const generation = this.#generation;
        try {
            const { alerts } = await call("alerts", params);
            if (generation === this.#generation) this.#show(alerts);
        } catch {
            // The next answer shows what is left.
        }
    }

    #show(alerts) {
        const text = JSON.stringify(alerts);
        if (text === this.#shown) return;
        this.#shown = text;
        this.#element.hidden = alerts.length === 0;
        // The newest alert is the first.
        const newestFirst = [...alerts].reverse();
        setChildren(this.#list, newestFirst.map((alert) => this.#row(alert)));
        for (const { id, kind, text } of newestFirst) {
            // The desk announces by itself that a device is away.
            if (kind !== "source" && !this.#announcedIds.has(id)) announce(`Alert: ${text}`);
        }
        this.#announcedIds = new Set(alerts.map(({ id }) => id));
        this.#changed(alerts);
    }

    #row({ id, text, sinceMs, session, acked, node }) {
        const row = h("li", {});
        row.dataset.acked = String(acked);
        row.append(h("span", { class: "time" }, this.#timeText(sinceMs)));
        if (session !== undefined) {
            const onclick = () => this.#showSession(session);
            row.append(h("button", { type: "button", class: "quiet session", onclick }, session));
        }
        row.append(h("span", { class: "text" }, node === undefined ? text : `${node}: ${text}`));
        if (acked) {
            row.append(h("span", { class: "note" }, "acknowledged"));
        } else {
            const onclick = () => this.#ask({ action: "ack", id });
            row.append(
                h("button", { type: "button", class: "needs-connection", onclick }, "Acknowledge"));
        }
        return row;
    }

    #timeText(sinceMs) {
        const { isVirtual } = this.#context;
        return isVirtual ? instantText(sinceMs, true) : timeOfDay(new Date(sinceMs));
    }
}
