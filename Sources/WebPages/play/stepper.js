import { freshId, h } from "../shared/dom.js";
import { humanised } from "../shared/words.js";

/** A field for a whole number, with large buttons that decrease and increase the number. */
export function stepper(spec) {
    const id = freshId("field");
    const label = spec.title ?? humanised(spec.name);
    const input = h("input", {
        id,
        name: spec.name,
        type: "number",
        step: 1,
        inputmode: "numeric",
        required: !spec.optional,
        autocomplete: "off",
        value: spec.optional ? "" : "1",
    });
    const step = (by, sign, word) => {
        const onclick = () => {
            input.value = String((Number(input.value) || 0) + by);
        };
        return h("button", { type: "button", "aria-label": `${word} ${label}`, onclick }, sign);
    };
    const controls = [step(-1, "−", "Less"), input, step(1, "+", "More")];
    const row = h("div", { class: "stepper" }, controls);
    return {
        element: h("div", { class: "field" }, h("label", { for: id }, label), row),
        read: () => (input.value === "" ? undefined : Number(input.value)),
    };
}
