import { fill, h, one } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Pulse } from "./pulse.js";

/**
 * The nodes that share the store, if there are several: their addresses, shards and leases, and what an operator has to
 * look after. Only those who may operate every session see them. The stream does not tell of them, so the server is asked
 * each second; with one node, every tenth time.
 */
const restBeats = 10;

export class Nodes {
    #element = one("#nodes");
    #list = h("ul", { class: "lamps" });
    #notes = h("p", {});
    #room;
    #pulse = new Pulse(() => this.#beat());
    #turn = 0;
    #beats = 0;

    constructor(room) {
        this.#room = room;
        this.#element.append(h("h2", { id: "nodes-title" }, "Nodes"), this.#list, this.#notes);
    }

    /** There is a connection to the daemon. */
    start() {
        this.stop();
        if (this.#room.rights.hasEverywhere("operate")) this.#pulse.start();
        else this.#element.hidden = true;
    }

    stop() {
        this.#turn += 1;
        this.#beats = 0;
        this.#pulse.stop();
    }

    async #beat() {
        this.#beats -= 1;
        if (this.#beats > 0) return;
        const turn = this.#turn;
        try {
            const answer = await call("nodes");
            if (turn !== this.#turn) return;
            this.#element.hidden = answer.nodes.length < 2;
            this.#beats = this.#element.hidden ? restBeats : 0;
            if (!this.#element.hidden) this.#show(answer);
        } catch {
            // The stream says it, or the next answer.
        }
    }

    #show({ nodes, shards, missing, differ, skewMs }) {
        fill(this.#list, nodes.map(row));
        const notes = [
            missing > 0 && `${missing} of ${shards} shards have no owner.`,
            differ && "The nodes' rules, flow files or `on` lines differ.",
            Math.abs(skewMs) > 500 && `The database's clock is ${skewMs} ms ahead of this node's.`,
        ];
        const text = notes.filter(Boolean).join(" ");
        if (this.#notes.textContent !== text) this.#notes.textContent = text;
    }
}

function row({ node, address, self, shards, leaseMs }) {
    const line = h("li", {}, h("span", { class: "lamp" }), h("b", {}, node));
    // A lease is renewed each second; one that has little time left is not.
    line.dataset.state = leaseMs > 1_000 ? "up" : "down";
    const words = [`${shards} shards`, address, self ? "this page's" : ""].filter(Boolean);
    line.append(` ${words.join(", ")}`);
    return line;
}
