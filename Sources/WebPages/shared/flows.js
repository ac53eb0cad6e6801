import { call } from "./rpc.js";

/**
 * What the server says about its flows; it does not change while the server runs.
 */
let described = new Map();

/** A flow's states, events and transitions. */
export function describe(flow) {
    if (!described.has(flow)) {
        const answer = call("describe", { flow });
        answer.catch(() => described.delete(flow));
        described.set(flow, answer);
    }
    return described.get(flow);
}

/** Another server may have other flows. */
export function forgetFlows() {
    described = new Map();
}

/**
 * A flow's diagram as an SVG element, or null if there is none. The browser's own XML reader takes
 * it in, which runs nothing that could stand in it.
 */
export function diagramOf(flow) {
    return new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open("GET", `/page/flows/${encodeURIComponent(flow)}.svg`);
        request.responseType = "document";
        request.overrideMimeType("image/svg+xml");
        request.onload = () => {
            const root = request.status === 200 ? request.responseXML?.documentElement : null;
            resolve(root?.localName === "svg" ? document.importNode(root, true) : null);
        };
        request.onerror = () => resolve(null);
        request.send();
    });
}
