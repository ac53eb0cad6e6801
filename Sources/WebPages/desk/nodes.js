import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Poller } from "./poller.js";

/**
 * The nodes that share the store, if there are several: their addresses, shards and leases, and problems for an
 * operator. Only people who may operate every session see them. The event stream does not report them, so the page asks the
 * server each second. If there is only one node, the page shows nothing and asks every tenth second.
 */

const skippedPollsWithOneNode = 10;
/** A smaller difference between the clocks of the database and of the node is not shown. */
const minimumShownSkewMs = 500;

export class Nodes {
    #element = find("#nodes");
    #list = h("ul", { class: "lamps" });
    #notes = h("p", {});
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #poller = new Poller(() => this.#ask());
    /** Counts the calls of `start` and `stop`, so that answers to earlier requests are ignored. */
    #generation = 0;
    #pollsToSkip = 0;

    constructor(context) {
        this.#context = context;
        this.#element.append(h("h2", { id: "nodes-title" }, "Nodes"), this.#list, this.#notes);
    }

    /** Called when the page has connected to the daemon. */
    start() {
        this.stop();
        if (this.#context.rights.hasEverywhere("operate")) this.#poller.start();
        else this.#element.hidden = true;
    }

    stop() {
        this.#generation += 1;
        this.#pollsToSkip = 0;
        this.#poller.stop();
    }

    async #ask() {
        this.#pollsToSkip -= 1;
        if (this.#pollsToSkip > 0) return;
        const generation = this.#generation;
        try {
            const answer = await call("nodes");
            if (generation !== this.#generation) return;
            this.#element.hidden = answer.nodes.length < 2;
            this.#pollsToSkip = this.#element.hidden ? skippedPollsWithOneNode : 0;
            if (!this.#element.hidden) this.#show(answer);
        } catch {
            // The stream reports a lost connection, and the next answer shows the nodes again.
        }
    }

    #show({ nodes, shards, missing, differ, skewMs }) {
        setChildren(this.#list, nodes.map(row));
        const notes = [
            missing > 0 && `${missing} of ${shards} shards have no owner.`,
            differ && "The nodes' rules, flow files or `on` lines differ.",
            Math.abs(skewMs) > minimumShownSkewMs &&
                `The database's clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? "ahead of" : "behind"} this node's.`,
        ];
        const text = notes.filter(Boolean).join(" ");
        if (this.#notes.textContent !== text) this.#notes.textContent = text;
    }
}

function row({ node, address, self, shards, leaseMs }) {
    const line = h("li", {}, h("span", { class: "lamp" }), h("b", {}, node));
    // A node renews its lease each second. Little remaining time shows that the node has failed to renew it.
    line.dataset.state = leaseMs > 1_000 ? "up" : "down";
    const words = [`${shards} shards`, address, self ? "this page's" : ""].filter(Boolean);
    line.append(` ${words.join(", ")}`);
    return line;
}
