import { own } from "./ownwords.js";

/* Converts names and values of the protocol to words for people. */

/** Converts "playingLevel" and "playing_level" to "Playing level". Capitals as in "userID" stay as they are. */
export function humanised(name) {
    const words = name
        .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
        .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
        .split(/[ _]+/)
        .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
    const text = words.join(" ");
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * A value as people read it: an identifier that is one of the `declared` values becomes words, also within a list. Other texts,
 * such as those that people have typed, stay as they are.
 */
export function inWords(value, declared = []) {
    if (Array.isArray(value)) return value.map((each) => inWords(each, declared));
    return declared.includes(value) && /^[a-z]\w*$/i.test(value) ? humanised(value) : value;
}

/** An object with the words of its names. Names with the same words stay as they are. */
export function namesInWords(object) {
    const entries = Object.entries(object).map(([name, value]) => [inWords(name, [name]), value]);
    const result = Object.fromEntries(entries);
    return Object.keys(result).length === entries.length ? result : object;
}

/** The words of `humanised` for use within a sentence: the first letter is small. */
export function spoken(name) {
    const text = humanised(name);
    return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

/** A datum's value for people, whatever type it has. */
export function valueText(value) {
    if (value === null || value === undefined) return own`none`;
    if (typeof value === "boolean") return value ? own`yes` : own`no`;
    if (Array.isArray(value)) return value.length === 0 ? own`none` : value.map(valueText).join(", ");
    if (typeof value === "object") {
        const members = Object.entries(value);
        if (members.length === 0) return own`none`;
        return members.map(([name, member]) => `${name} ${valueText(member)}`).join(", ");
    }
    return String(value);
}
