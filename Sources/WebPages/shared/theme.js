import { svg } from "./dom.js";

/** Whether the dark theme is shown: the system's theme, until the user chooses one. */
export function isDark() {
    const chosenTheme = document.documentElement.dataset.theme;
    return chosenTheme ? chosenTheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
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
        const otherTheme = isDark() ? "light" : "dark";
        button.setAttribute("aria-label", `Switch to the ${otherTheme} theme`);
        button.title = `Switch to the ${otherTheme} theme`;
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
