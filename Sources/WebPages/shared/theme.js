/**
 * Light or dark: as the system says, until somebody chooses; that is remembered.
 */
export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Makes a button the switch between the two. */
export function makeSwitch(button) {
    const tell = () => {
        const other = isDark() ? "light" : "dark";
        button.setAttribute("aria-label", `Switch to the ${other} theme`);
        button.title = `Switch to the ${other} theme`;
        button.dataset.now = isDark() ? "dark" : "light";
    };
    button.addEventListener("click", () => {
        const theme = isDark() ? "light" : "dark";
        document.documentElement.dataset.theme = theme;
        try {
            localStorage.setItem("theme", theme);
        } catch {
            // It holds for this page, then.
        }
        tell();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
    tell();
}
