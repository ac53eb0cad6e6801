import { call } from "../shared/rpc.js";
import { at } from "../shared/dom.js";

/**
 * The diagram of the version that a session plays, as an SVG element; null if the server has none. The browser's XML parser
 * does not run the diagram's scripts.
 */
export async function diagramOf(session) {
    if (isShipped(session)) {
        const diagram = await shippedDiagram(session.flow);
        if (diagram) return diagram;
    }
    const text = await call("graph", { session: session.session, format: "svg" }).catch(() => null);
    if (text === null) return null;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return root.localName === "svg" ? document.importNode(root, true) : null;
}

/** Whether there may be a drawing of a session's flow among the files of the page. A flow file, whose version is a text, has none. */
function isShipped({ version }) {
    return typeof version !== "string";
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
