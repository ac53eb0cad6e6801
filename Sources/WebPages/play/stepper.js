import { h } from "../shared/dom.js";
import { integerField } from "../shared/form.js";
import { own } from "../shared/ownwords.js";
import { humanised } from "../shared/words.js";

/** An `integerField` with large buttons that decrease and increase the number. */
export function stepper(spec) {
    const field = integerField(spec);
    const input = field.element.querySelector("input");
    if (!spec.optional) input.value = String(Math.min(Math.max(1, spec.min ?? 1), spec.max ?? Infinity));
    const label = spec.title ?? humanised(spec.name);
    const button = (onclick, sign, word) =>
        h("button", { type: "button", "aria-label": `${word} ${label}`, onclick }, sign);
    const row = h("div", { class: "stepper" });
    input.replaceWith(row);
    row.append(button(() => input.stepDown(), "−", own`Less`), input, button(() => input.stepUp(), "+", own`More`));
    return field;
}
