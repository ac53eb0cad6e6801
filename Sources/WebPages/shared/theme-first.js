// Runs before the first paint, so that the page does not flash in the other theme.
try {
    const chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
    // Without storage, the page follows the system.
}
