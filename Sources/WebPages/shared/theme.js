import { svg } from "./dom.js";

/** Whether the dark theme is shown: as the system prefers, until the user chooses a theme. The choice is stored. */
export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Draws a half moon on a button, and makes the button switch between the light and the dark theme. */
export function makeThemeSwitch(button) {
    const icon = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
    icon.append(
        svg("circle", { cx: 12, cy: 12, r: 8 }),
        svg("path", { class: "half", d: "M12 4a8 8 0 0 1 0 16z" }),
    );
    button.append(icon);
    const updateLabel = () => {
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
        updateLabel();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", updateLabel);
    updateLabel();
}
