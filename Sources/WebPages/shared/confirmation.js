import { addStyles, freshId, h } from "./dom.js";
import { own } from "./ownwords.js";

/* A page loads this file when somebody presses a button that asks first, and this file loads the styles of dialogs. */

addStyles(new URL("./dialog.css", import.meta.url));

/** Asks whether to go on with `title`. Returns a promise of the answer. `isDangerous` gives the button the colour of a warning. */
export function confirm(title, isDangerous) {
    const id = freshId("confirmation");
    const yes = h("button", { type: "submit", value: "yes", class: isDangerous ? "danger" : "primary" }, title);
    const no = h("button", { type: "submit", value: "no", class: "quiet" }, own`Cancel`);
    const heading = h("h2", { id }, `${title}?`);
    const form = h("form", { method: "dialog" }, heading, h("div", { class: "buttons" }, yes, no));
    const dialog = h("dialog", { class: "confirmation", "aria-labelledby": id }, form);
    document.body.append(dialog);
    dialog.showModal();
    // A hurried second press of the same key must not confirm.
    no.focus();
    return new Promise((resolve) => {
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(dialog.returnValue === "yes");
        });
    });
}
