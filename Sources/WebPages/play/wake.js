import { find } from "../shared/dom.js";

/**
 * Keeps the screen on with a wake lock. Without a lock, shows a note if it `hasNote`. There is no lock if the browser has no wake locks. The
 * browser also refuses a lock if the page is not served over HTTPS, or to save the battery. The page requests a lock each time
 * it becomes visible, because browsers release the lock of a hidden page.
 */
export function keepAwake(hasNote) {
    const note = find("#awake-note");
    let isDismissed = !hasNote;
    const setNoteHidden = (isHidden) => {
        note.hidden = isHidden || isDismissed;
    };
    // The note has no height while the page around it is hidden, or while the note itself is.
    const showHeight = () =>
        document.documentElement.style.setProperty("--awake-note", `${note.getBoundingClientRect().height}px`);
    new ResizeObserver(showHeight).observe(note);
    const requestLock = () => {
        if (document.hidden) return;
        if (!navigator.wakeLock) return setNoteHidden(false);
        navigator.wakeLock.request("screen").then(
            () => setNoteHidden(true),
            () => setNoteHidden(document.hidden),
        );
    };
    find("button", note).addEventListener("click", () => {
        isDismissed = true;
        setNoteHidden(true);
    });
    document.addEventListener("visibilitychange", requestLock);
    requestLock();
}
