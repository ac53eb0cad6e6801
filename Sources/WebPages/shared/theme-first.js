// Sets the chosen theme before the first paint, so that the page does not flash in the system's theme.
try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
    // Without storage, the page has the system's theme.
}
