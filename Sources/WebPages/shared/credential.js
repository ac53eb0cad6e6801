/**
 * The page's identity. The daemon gives each page of a browser its own cookie, so that a desk and a players' page in two
 * tabs can have different roles. Tabs with the same page share one cookie, and inform each other when it changes.
 */
const [, firstPart, session] = location.pathname.split("/");
const pages = { play: `play.${session}`, leaderboard: "leaderboard" };
const page = Object.hasOwn(pages, firstPart) ? pages[firstPart] : "desk";
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
