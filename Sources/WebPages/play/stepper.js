import { freshId, h } from "../shared/dom.js";
import { humanised } from "../shared/words.js";

/** A field for an integer argument, as `fieldOf` makes it, with large buttons that decrease and increase the number. */
export function stepper(spec) {
    const id = freshId("field");
    const { min, max } = spec;
    const label = spec.title ?? humanised(spec.name);
    const input = h("input", {
        id,
        name: spec.name,
        type: "number",
        step: 1,
        min,
        max,
        inputmode: "numeric",
        required: !spec.optional,
        autocomplete: "off",
        value: spec.optional ? "" : String(Math.min(max ?? 1, Math.max(min ?? 1, 1))),
    });
    const button = (onclick, sign, word) =>
        h("button", { type: "button", "aria-label": `${word} ${label}`, onclick }, sign);
    const less = button(() => input.stepDown(), "−", "Less");
    const controls = [less, input, button(() => input.stepUp(), "+", "More")];
    const row = h("div", { class: "stepper" }, controls);
    return {
        element: h("div", { class: "field" }, h("label", { for: id }, label), row),
        read: () => (input.value === "" ? undefined : Number(input.value)),
    };
}
