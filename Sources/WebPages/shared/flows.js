import { call } from "./rpc.js";
import { Titles } from "./titles.js";

/** The answers to `describe` for the flow versions that sessions play. A version never changes. */
let descriptions = new Map();
/** The titles of these versions. A version is missing until its answer has come. */
let knownTitles = new Map();

/** The states, events and transitions of the version that a session plays. */
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

/** The titles of the newest version of each flow. */
let newestVersions = new Map();

/** The titles and states of a flow's newest version; empty until the answer has come. `onKnown()` is called when it comes. */
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

/** Forgets all flows, because another server may have other flows. */
export function forgetFlows() {
    [descriptions, knownTitles, newestVersions] = [new Map(), new Map(), new Map()];
}

/**
 * The diagram of the version that a session plays, as an SVG element; null if the server has no diagram of it. The browser's
 * XML parser reads the diagram, and does not run scripts.
 */
export async function diagramOf(session) {
    const diagram = await builtInDiagram(session.flow);
    if (diagram) return diagram;
    const text = await call("graph", { session: session.session, format: "svg" }).catch(() => null);
    if (text === null) return null;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return root.localName === "svg" ? document.importNode(root, true) : null;
}

/** The diagram of a built-in flow; null for any other flow. */
function builtInDiagram(flow) {
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
