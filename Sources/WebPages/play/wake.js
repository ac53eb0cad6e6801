import { one } from "../shared/dom.js";

/**
 * Keeps the screen on, and says so if the browser cannot: it has no wake lock, gives none to a page that is
 * not served safely, or saves the battery. The lock is released while the page is hidden.
 */
export function keepAwake() {
    const note = one("#awake");
    let isDismissed = false;
    const tell = (isHidden) => {
        note.hidden = isHidden || isDismissed;
        const height = note.hidden ? 0 : note.getBoundingClientRect().height;
        document.documentElement.style.setProperty("--awake", `${height}px`);
    };
    const ask = () => {
        if (document.hidden) return;
        if (!navigator.wakeLock) return tell(false);
        navigator.wakeLock.request("screen").then(
            () => tell(true),
            () => tell(document.hidden),
        );
    };
    one("button", note).addEventListener("click", () => {
        isDismissed = true;
        tell(true);
    });
    addEventListener("resize", () => tell(note.hidden));
    document.addEventListener("visibilitychange", ask);
    ask();
}
