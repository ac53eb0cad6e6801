/**
 * Which page this is. Each page of a browser has a cookie of its own: a desk and a players' page in
 * two tabs keep a role each. Tabs of the same page share one cookie, and tell each other when it
 * changes.
 */
const session = location.pathname.split("/")[2];
const page = session === undefined ? "desk" : `play.${session}`;
const tabs = new BroadcastChannel(`gamed ${page}`);

/** The header that says which page's cookie is meant. */
export const pageHeader = { "Gamed-Page": page };

/** This tab has signed in or out. */
export function tellOtherTabs() {
    tabs.postMessage("");
}

/** `changed()` is called when another tab of this page has signed in or out. */
export function onOtherTabs(changed) {
    tabs.addEventListener("message", () => changed());
}
