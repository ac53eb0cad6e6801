/**
 * Light or dark: as the system prefers, until the user chooses. The choice is stored.
 */
export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Makes a button switch between the two. */
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
            // Without storage, the choice lasts for this page only.
        }
        tell();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
    tell();
}
