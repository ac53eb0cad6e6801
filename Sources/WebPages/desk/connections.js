import { find, h, setChildren, setText } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { elapsedText } from "../shared/time.js";
import { agoText } from "./instants.js";
import { Poller } from "./poller.js";

/**
 * The part of the desk that shows the connections to devices, Bluetooth devices included, and the outputs. The event stream
 * reports neither connections nor outputs, so the page asks the server each second. If the server has no connections and no
 * outputs, the page stops asking. Only people who may operate every session see this part.
 */
export class Connections {
    #element = find("#connections");
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #poller = new Poller(
        async () => [await call("sources"), await call("outputs")], ([{ sources }, outputs]) => this.#show(sources, outputs));
    /** Says whether the daemon sends outputs at present. */
    #outputsState = h("p", { class: "outputs-state" });
    /** The connections to devices, which the protocol calls sources. */
    #sources = h("ul", { class: "sources lamps" });
    #outputs = h("ul", { class: "outputs lamps" });

    constructor(context) {
        this.#context = context;
        const title = h("h2", { id: "connections-title" }, "Connections");
        this.#element.append(h("header", {}, title, this.#outputsState), this.#sources, this.#outputs);
    }

    /** Called when the page has connected to the daemon. */
    start() {
        this.stop();
        this.#element.hidden = true;
        if (this.#context.rights.hasEverywhere("operate")) this.#poller.start();
    }

    stop() {
        this.#poller.stop();
    }

    #show(sources, { on, outputs }) {
        const isEmpty = sources.length === 0 && outputs.length === 0;
        this.#element.hidden = isEmpty;
        // Empty lists seldom get entries while the daemon runs. After a restart, the page connects and asks again.
        if (isEmpty) return this.#poller.stop();
        this.#element.dataset.outputs = on ? "on" : "off";
        const outputsText = on ? "Outputs are on" : "Outputs are off: nothing is sent";
        setText(this.#outputsState, outputs.length === 0 ? "" : outputsText);
        setChildren(this.#sources, sources.map(sourceRow));
        setChildren(this.#outputs, outputs.map(outputRow));
    }
}

/** The row of one connection. The parameter is an entry of the result of the method `sources`. */
function sourceRow({ source, kind, device, state, forMs, heardMs, problem, received, sent, refused, lastEvent }) {
    const heardText = heardMs === undefined ? "nothing heard" : `heard ${agoText(heardMs)} ago`;
    const counts = `${received} in, ${sent} out, ${refused} refused`;
    const row = h("li", {}, h("span", { class: "lamp" }), h("b", {}, source), h("span", {}, kind));
    row.dataset.state = state;
    // A Bluetooth device is identified by its address.
    row.dataset.source = device ?? source;
    const stateText = forMs === undefined ? state : `${state} for ${elapsedText(forMs)}`;
    row.append(h("span", {}, stateText), h("span", {}, heardText), h("span", {}, counts));
    if (lastEvent) row.append(h("span", { class: "last" }, lastEventText(lastEvent)));
    if (state === "down" && problem) row.append(h("span", { class: "problem" }, problem));
    return row;
}

/** The newest event of a connection, the session that got it, and the result. */
function lastEventText({ event, session, outcome, agoMs }) {
    return `${event} → ${session}: ${outcome}, ${agoText(agoMs)} ago`;
}

/** The row of one output. The parameter is an entry of the result of the method `outputs`; `text` is its configuration line. */
function outputRow({ text, state, waiting, delivered, givenUp, withheld, lastError }) {
    const counts = `${delivered} delivered, ${waiting} waiting, ${givenUp} given up, ${withheld} withheld`;
    const row = h("li", {}, h("span", { class: "lamp" }), h("code", {}, text));
    row.dataset.state = state;
    row.append(h("span", {}, state), h("span", {}, counts));
    if (lastError) row.append(h("span", { class: "problem" }, lastError));
    return row;
}
