import { at, ownPath } from "./dom.js";

/**
 * The page's cookie. The desk, the players' page of each session with its overlay, and the leaderboards have different cookies, so
 * that tabs can have different roles. Any other page uses the desk's. Tabs with one cookie inform each other when they sign in or out.
 */
const [firstPart, session] = ownPath;
const pages = { play: `play.${session}`, overlay: `play.${session}`, leaderboard: "leaderboard" };
const page = Object.hasOwn(pages, firstPart) ? pages[firstPart] : "desk";
const tabs = new BroadcastChannel(`gamed ${page}`);

/** The address of a file of `--media`. */
export function fileAddress(file) {
    return at(`media/${file.split("/").map(encodeURIComponent).join("/")}`);
}

/** The header that names the page's cookie. */
export const pageHeader = { "Gamed-Page": page };

/** Called when this tab has signed in or out. */
export function notifyOtherTabs() {
    tabs.postMessage("");
}

/** Calls `onChange()` when another tab has signed in or out. */
export function onOtherTabSignIn(onChange) {
    tabs.addEventListener("message", () => onChange());
}
