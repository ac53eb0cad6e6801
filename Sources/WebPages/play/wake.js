/** Keeps the screen on, where the browser can and may. It lets go whenever the page is hidden. */
export function keepAwake() {
    const ask = () => {
        if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
    };
    document.addEventListener("visibilitychange", ask);
    ask();
}
