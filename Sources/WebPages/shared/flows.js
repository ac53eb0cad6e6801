import { call } from "./rpc.js";
import { Titles } from "./titles.js";

/**
 * Descriptions of the flow versions that sessions play, as the server sent them. A version never
 * changes, but another server may have other flows.
 */
let described = new Map();
let known = new Map();

/** The states, events and transitions of the version that a session plays. */
export function describe(session) {
    const key = versionOf(session);
    if (!described.has(key)) {
        const answer = call("describe", { session: session.session });
        answer.then((flow) => known.set(key, new Titles(flow))).catch(() => described.delete(key));
        described.set(key, answer);
    }
    return described.get(key);
}

/** The titles of a session's flow; empty until they are known. */
export function titlesOf(session) {
    return (session && known.get(versionOf(session))) ?? new Titles();
}

/** Whether the titles of a session's flow are known. */
export function hasTitles(session) {
    return known.has(versionOf(session));
}

function versionOf({ flow, version }) {
    return `${flow} ${version}`;
}

let newest = new Map();

/** The titles of the newest version of a flow; empty until they are known. Calls `then` when they are. */
export function newestTitles(flow, then) {
    if (!newest.has(flow)) {
        newest.set(flow, new Titles());
        call("describe", { flow })
            .then((answer) => {
                newest.set(flow, new Titles(answer));
                then();
            })
            .catch(() => {});
    }
    return newest.get(flow);
}

/** Forgets everything: another server may have other flows. */
export function forgetFlows() {
    [described, known, newest] = [new Map(), new Map(), new Map()];
}

/**
 * The diagram of the version that a session plays, as an SVG element, or null if there is none. The
 * browser's XML parser reads it, which runs no script.
 */
export async function diagramOf(session) {
    const drawn = await shipped(session.flow);
    if (drawn) return drawn;
    const text = await call("graph", { session: session.session, format: "svg" }).catch(() => null);
    if (text === null) return null;
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return root.localName === "svg" ? document.importNode(root, true) : null;
}

/** The diagram of a built-in flow. */
function shipped(flow) {
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
