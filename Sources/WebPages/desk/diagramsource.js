import { call } from "../shared/rpc.js";
import { at } from "../shared/dom.js";

/**
 * The diagram of the version that a session plays, as an SVG element; null if the server has none. The browser's XML parser
 * does not run the diagram's scripts.
 */
export async function diagramOf(session) {
    const diagram = await shippedDiagram(session.flow);
    if (diagram) return diagram;
    const text = await call("graph", { session: session.session, format: "svg" }).catch(() => null);
    if (text === null) return null;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return root.localName === "svg" ? document.importNode(root, true) : null;
}

/** The diagram of a shipped flow; null for any other flow. */
function shippedDiagram(flow) {
    return new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open("GET", at(`page/flows/${encodeURIComponent(flow)}.svg`));
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
