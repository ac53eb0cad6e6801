/**
 * The page's identity. Each page of a browser has its own cookie, so that a desk and a players' page in
 * two tabs have their own roles. Tabs of the same page share one cookie and inform each other when it
 * changes.
 */
const [, part, session] = location.pathname.split("/");
const pages = { play: `play.${session}`, leaderboard: "leaderboard" };
const page = Object.hasOwn(pages, part) ? pages[part] : "desk";
const tabs = new BroadcastChannel(`gamed ${page}`);

/** The header that names the page's cookie. */
export const pageHeader = { "Gamed-Page": page };

/** Informs the other tabs that this tab has signed in or out. */
export function notifyOtherTabs() {
    tabs.postMessage("");
}

/** Calls `onChange()` when another tab of the browser has signed in or out. */
export function onOtherTabSignIn(onChange) {
    tabs.addEventListener("message", () => onChange());
}
