/** Keeps the screen on, if the browser can and may. The lock is released while the page is hidden. */
export function keepAwake() {
    const ask = () => {
        if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
    };
    document.addEventListener("visibilitychange", ask);
    ask();
}
