import { freshId, h } from "./dom.js";
import { humanised } from "./words.js";

/**
 * Form fields for the arguments of an event or the data of a state, from their descriptions.
 */

/**
 * A field for one argument: `{element, read()}`; `read` returns undefined if the argument is left out.
 */
export function field(spec, integer = number) {
    if (spec.values) return select(spec, spec.values, (text) => text);
    if (spec.type === "boolean") return spec.optional ? yesNo(spec) : checkbox(spec);
    if (spec.type === "integer") return integer(spec);
    if (spec.type === "array") return typed(spec, "input", readArray, "one, two");
    if (spec.type === "object") return typed(spec, "textarea", JSON.parse, '{"ann": 1}');
    return typed(spec, "input", (text) => text);
}

/** The values of all fields as one object. */
export function readAll(fields) {
    const all = {};
    for (const [name, each] of fields) {
        const value = each.read();
        if (value !== undefined) all[name] = value;
    }
    return all;
}

/** The fields for a list of arguments, by name. */
export function fieldsOf(specs, integer) {
    return new Map(specs.map((spec) => [spec.name, field(spec, integer)]));
}

function number(spec) {
    const { min, max } = spec;
    const attributes = { type: "number", step: 1, inputmode: "numeric", min, max };
    const input = h("input", { ...common(spec), ...attributes });
    return { element: labelled(spec, input), read: () => read(input, Number) };
}

function typed(spec, tag, parse, example = null) {
    const type = tag === "input" ? "text" : null;
    const input = h(tag, { ...common(spec), type, placeholder: example });
    input.addEventListener("input", () => input.setCustomValidity(""));
    const parseOrSay = (text) => {
        try {
            return parse(text);
        } catch {
            input.setCustomValidity("This is not JSON.");
            input.reportValidity();
            throw new TypeError(`${spec.name} is not JSON`);
        }
    };
    // An empty field for an optional text means that the argument is left out.
    if (spec.type === "string" && !spec.optional) {
        input.required = false;
        return { element: labelled(spec, input), read: () => input.value };
    }
    if (spec.type === "array") input.required = false;
    const isList = spec.type === "array" && !spec.optional;
    return {
        element: labelled(spec, input),
        read: () => (isList ? parseOrSay(input.value) : read(input, parseOrSay)),
    };
}

function checkbox(spec) {
    const input = h("input", { id: freshId("field"), name: spec.name, type: "checkbox" });
    return { element: labelled(spec, input), read: () => input.checked };
}

function yesNo(spec) {
    return select(spec, ["yes", "no"], (text) => text === "yes");
}

function select(spec, values, parse) {
    const options = values.map((value) => h("option", { value }, value));
    if (spec.optional) options.unshift(h("option", { value: "" }, "none"));
    const input = h("select", common(spec), options);
    return { element: labelled(spec, input), read: () => read(input, parse) };
}

function common(spec) {
    return {
        id: freshId("field"),
        name: spec.name,
        required: !spec.optional,
        autocomplete: "off",
        spellcheck: "false",
    };
}

function labelled(spec, input) {
    const label = h("label", { for: input.id }, spec.title ?? humanised(spec.name));
    const order = input.type === "checkbox" ? [input, label] : [label, input];
    return h("div", { class: "field" }, order);
}

function read(input, parse) {
    return input.value === "" ? undefined : parse(input.value);
}

function readArray(text) {
    return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}
