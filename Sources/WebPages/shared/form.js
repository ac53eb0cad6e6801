import { freshId, h } from "./dom.js";
import { own } from "./ownwords.js";
import { humanised, inWords } from "./words.js";

/*
 * Form fields for the arguments of an event or the data of a state. A `spec` describes one argument or datum, as `describe`
 * returns it.
 */

/**
 * A field for one argument: `{element, read()}`. `read` returns the value, or undefined if the argument is left out, and
 * throws if the text is invalid. `makeIntegerField(spec)` makes the field of an integer.
 */
export function fieldOf(spec, makeIntegerField = integerField) {
    if (spec.values && spec.type !== "array") return select(spec, spec.values, (text) => text);
    if (spec.type === "boolean") return checkbox(spec);
    if (spec.type === "integer") return makeIntegerField(spec);
    if (spec.type === "array") return textField(spec, "input", arrayOf, "one, two");
    if (spec.type === "object") return textField(spec, "textarea", JSON.parse, '{"ann": 1}');
    return textField(spec, "input", (text) => text);
}

/** The values of all fields as one object. */
export function readAll(fields) {
    const values = {};
    for (const [name, field] of fields) {
        const value = field.read();
        if (value !== undefined) values[name] = value;
    }
    return values;
}

/** The fields for a list of arguments, by name. */
export function fieldsOf(specs, makeIntegerField) {
    return new Map(specs.map((spec) => [spec.name, fieldOf(spec, makeIntegerField)]));
}

export function integerField(spec) {
    const { min, max } = spec;
    const attributes = { type: "number", step: 1, inputmode: "numeric", min, max };
    const input = h("input", { ...commonAttributes(spec), ...attributes });
    return { element: labelled(spec, input), read: () => readInput(input, Number) };
}

function textField(spec, tag, parse, example = null) {
    const type = tag === "input" ? "text" : null;
    const input = h(tag, { ...commonAttributes(spec), type, placeholder: example });
    input.addEventListener("input", () => input.setCustomValidity(""));
    const parseOrReport = (text) => {
        try {
            return parse(text);
        } catch {
            input.setCustomValidity(own`This is not JSON.`);
            input.reportValidity();
            throw new TypeError(`${spec.name} is not JSON`);
        }
    };
    // Without input, a required text is empty, a required list has no elements, and an optional argument is left out.
    if (spec.type === "string" && !spec.optional) {
        input.required = false;
        return { element: labelled(spec, input), read: () => input.value };
    }
    if (spec.type === "array") input.required = false;
    const isRequiredList = spec.type === "array" && !spec.optional;
    return {
        element: labelled(spec, input),
        read: () => (isRequiredList ? parseOrReport(input.value) : readInput(input, parseOrReport)),
    };
}

/** A check box. If the value may be left out and has no default, the box begins undecided, and `read` then returns undefined. */
function checkbox(spec) {
    const input = h("input", { id: freshId("field"), name: spec.name, type: "checkbox" });
    if (mayBeNone(spec)) addUndecided(input);
    return { element: labelled(spec, input), read: () => (input.indeterminate ? undefined : input.checked) };
}

/** Adds a third position to a check box: it becomes checked, unchecked and undecided in turn. */
function addUndecided(input) {
    input.indeterminate = true;
    let wasUnchecked = false;
    input.addEventListener("change", () => {
        // The browser has checked an unchecked box.
        if (wasUnchecked) [input.checked, input.indeterminate] = [false, true];
        wasUnchecked = !input.checked && !input.indeterminate;
    });
}

function select(spec, values, parse) {
    const options = values.map((value) => h("option", { value }, inWords(value, values)));
    if (mayBeNone(spec)) options.unshift(h("option", { value: "" }, own`none`));
    const input = h("select", commonAttributes(spec), options);
    return { element: labelled(spec, input), read: () => readInput(input, parse) };
}

function commonAttributes(spec) {
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

/** Whether a choice has the position "none". A value with a default can be left out too, but then it is the default. */
function mayBeNone({ optional, default: value }) {
    return optional && value === undefined;
}

function readInput(input, parse) {
    return input.value === "" ? undefined : parse(input.value);
}

function arrayOf(text) {
    return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
}
