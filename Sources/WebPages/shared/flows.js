import { call } from "./rpc.js";
import { Titles } from "./titles.js";

/** Promises of the answers to `describe`, by flow and version. A version never changes. */
let descriptions = new Map();
/** The titles of the versions whose answers have come. */
let knownTitles = new Map();

/** A promise of the states, events and transitions of the version that a session plays. */
export function describe(session) {
    const key = versionOf(session);
    if (!descriptions.has(key)) {
        const answer = call("describe", { session: session.session });
        answer.then((flow) => knownTitles.set(key, new Titles(flow))).catch(() => descriptions.delete(key));
        descriptions.set(key, answer);
    }
    return descriptions.get(key);
}

/** The titles of a session's flow; empty until they are known. */
export function titlesOf(session) {
    return (session && knownTitles.get(versionOf(session))) ?? new Titles();
}

/** Whether the titles of a session's flow are known. */
export function hasTitles(session) {
    return knownTitles.has(versionOf(session));
}

function versionOf({ flow, version }) {
    return `${flow} ${version}`;
}

/** The titles of the newest versions, by flow. */
let newestVersions = new Map();

/**
 * The titles of a flow's newest version; empty until the daemon's answer has come. The first call for a flow sends the request,
 * and only the `onKnown` of that call is called when the answer has come.
 */
export function titlesOfNewestVersion(flow, onKnown) {
    if (!newestVersions.has(flow)) {
        newestVersions.set(flow, new Titles());
        call("describe", { flow })
            .then((answer) => {
                newestVersions.set(flow, new Titles(answer));
                onKnown();
            })
            .catch(() => {});
    }
    return newestVersions.get(flow);
}

/** Called when the server has another `instance`, which may have other flows. */
export function forgetFlows() {
    [descriptions, knownTitles, newestVersions] = [new Map(), new Map(), new Map()];
}

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
