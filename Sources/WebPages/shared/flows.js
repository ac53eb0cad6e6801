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

/** Called when the server has another `instance`, which may have other flows. */
export function forgetFlows() {
    [descriptions, knownTitles] = [new Map(), new Map()];
}
