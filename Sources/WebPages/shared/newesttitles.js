import { call, NoAnswer } from "./rpc.js";
import { Titles } from "./titles.js";

/** By flow: the titles of the newest version, and the functions to call when these titles are known. */
let newestVersions = new Map();

/**
 * The titles of a flow's newest version; empty until the daemon's answer has come. The first call for a flow sends the request.
 * If the titles are not known yet, `onKnown` is called once when the answer has come.
 */
export function titlesOfNewestVersion(flow, onKnown) {
    if (!newestVersions.has(flow)) {
        const version = { titles: new Titles(), waiting: [] };
        newestVersions.set(flow, version);
        requestTitles(flow, version);
    }
    const { titles, waiting } = newestVersions.get(flow);
    waiting?.push(onKnown);
    return titles;
}

async function requestTitles(flow, version) {
    try {
        version.titles = new Titles(await call("describe", { flow }));
    } catch (error) {
        // Without an answer, the next call for the flow sends the request again.
        if (error instanceof NoAnswer && newestVersions.get(flow) === version) newestVersions.delete(flow);
        version.waiting = null;
        return;
    }
    const { waiting } = version;
    version.waiting = null;
    for (const onKnown of waiting) onKnown();
}

/** Called when the server has another `instance`, which may have other flows. */
export function forgetNewestTitles() {
    newestVersions = new Map();
}
