import { find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { Poller } from "./poller.js";

/** If there is only one node, the page requests the nodes only at every tenth poll. */
const pollsPerRequestWithOneNode = 10;
/** A node renews its lease, which lasts 3 s, each second. If less than this constant remains, a renewal has failed. */
const minimumLeaseMs = 1_000;
/** A smaller difference between the clocks of the database and of the node is not shown. */
const minimumShownSkewMs = 500;

/**
 * The part of the desk that shows the nodes, if several nodes share the store. It shows their addresses, shards and leases, and
 * the problems that an operator must solve. Only people who may operate every session see the nodes. The event stream does not
 * report the nodes, so the page asks the server each second. If there is only one node, the page shows nothing, and asks only
 * about every ten seconds.
 */
export class Nodes {
    #element = find("#nodes");
    #list = h("ul", { class: "lamps" });
    #problems = h("p", {});
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #poller = new Poller(() => this.#ask(), (answer) => answer && this.#showIfSeveral(answer));
    #pollsUntilRequest = 0;

    constructor(context) {
        this.#context = context;
        this.#element.append(h("h2", { id: "nodes-title" }, "Nodes"), this.#list, this.#problems);
    }

    /** Called when the page has connected to the daemon. */
    start() {
        this.stop();
        if (this.#context.rights.hasEverywhere("operate")) this.#poller.start();
        else this.#element.hidden = true;
    }

    stop() {
        this.#pollsUntilRequest = 0;
        this.#poller.stop();
    }

    /** The promise of the nodes; null while it is not time to ask. */
    async #ask() {
        this.#pollsUntilRequest -= 1;
        return this.#pollsUntilRequest > 0 ? null : call("nodes");
    }

    #showIfSeveral(answer) {
        this.#element.hidden = answer.nodes.length < 2;
        this.#pollsUntilRequest = this.#element.hidden ? pollsPerRequestWithOneNode : 0;
        if (!this.#element.hidden) this.#show(answer);
    }

    /**
     * Shows the result of the method `nodes`. `missing` is the number of shards without an owner; `differ` tells whether the
     * configurations of the nodes differ; a positive `skewMs` means that the database's clock is ahead.
     */
    #show({ nodes, shards, missing, differ, skewMs }) {
        setChildren(this.#list, nodes.map(row));
        const problems = [
            missing > 0 && `${missing} of ${shards} shards have no owner.`,
            differ && "The nodes' rules, flow files or `on` lines differ.",
            Math.abs(skewMs) > minimumShownSkewMs &&
                `The database's clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? "ahead of" : "behind"} this node's.`,
        ];
        const text = problems.filter(Boolean).join(" ");
        if (this.#problems.textContent !== text) this.#problems.textContent = text;
    }
}

/** The row of one node. `self` is true for the node to which this page is connected. */
function row({ node, address, self, shards, leaseMs }) {
    const line = h("li", {}, h("span", { class: "lamp" }), h("b", {}, node));
    line.dataset.state = leaseMs > minimumLeaseMs ? "up" : "down";
    const details = [`${shards} shards`, address, self ? "this page's node" : ""].filter(Boolean);
    line.append(` ${details.join(", ")}`);
    return line;
}
