import { h } from "./dom.js";
import { remainingText } from "./time.js";
import { humanised, valueText } from "./words.js";

/** Shows a state's data as a list of names and values. */
export class DataList {
    element = h("dl", { class: "data" });
    #isTerse;
    #hasNames;

    /**
     * If `isTerse`, data that are null, an empty list or an empty object are left out. If `hasNames`, each value of a list is an
     * element of its own.
     */
    constructor({ isTerse = false, hasNames = false } = {}) {
        [this.#isTerse, this.#hasNames] = [isTerse, hasNames];
    }

    /** `titleOf` returns the title of a datum, if it has one. */
    show(data, titleOf = () => undefined) {
        const all = Object.entries(data ?? {});
        const entries = this.#isTerse ? all.filter(([, value]) => !isEmpty(value)) : all;
        const items = entries.map(([name, value]) => {
            const { label, text } = labelAndText(name, value, titleOf(name));
            return h("div", {}, h("dt", {}, label), h("dd", {}, this.#partsOf(value) ?? text));
        });
        this.element.replaceChildren(...items);
        this.element.hidden = items.length === 0;
    }

    /** A value that consists of several, as elements; null for any other value. */
    #partsOf(value) {
        if (isEmpty(value)) return null;
        if (isObject(value)) return pairsOf(value);
        if (!this.#hasNames || !Array.isArray(value)) return null;
        const items = value.map((each) => h("li", {}, h("span", {}, valueText(each))));
        return h("ul", { class: "names" }, items);
    }

    /** Shows a sentence instead of the data. */
    showNote(text) {
        const item = h("div", { class: "note" }, h("dt", { class: "visually-hidden" }, "Note"));
        item.append(h("dd", {}, text));
        this.element.replaceChildren(item);
        this.element.hidden = false;
    }
}

function isEmpty(value) {
    return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Whether a value has values by name, such as the points by player. */
export function isObject(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** A list of names and values, such as the scores by player. If all values are numbers, the highest comes first. */
function pairsOf(object) {
    const pairs = Object.entries(object);
    if (pairs.every(([, value]) => typeof value === "number")) pairs.sort((a, b) => b[1] - a[1]);
    const items = pairs.map(([name, value]) =>
        h("li", {}, h("span", {}, name), " ", h("span", {}, valueText(value))),
    );
    return h("ul", { class: "pairs" }, items);
}

/** The label and the text of a datum. An integer whose name ends with "Ms" is in milliseconds. */
function labelAndText(name, value, title) {
    if (name.endsWith("Ms") && Number.isInteger(value)) {
        return { label: title ?? humanised(name.slice(0, -2)), text: remainingText(value) };
    }
    return { label: title ?? humanised(name), text: valueText(value) };
}
