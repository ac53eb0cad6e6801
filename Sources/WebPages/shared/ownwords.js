/*
 * A page's own words: those that the page adds to the texts of the flow. They are written in English where they are used. For a
 * reader of another language, the page loads a table.
 */

/** The functions that load a table, by language. */
const tables = {
    en: async () => ({}),
    de: () => import("./german.js").then(({ words }) => words),
    fr: () => import("./french.js").then(({ words }) => words),
};
/** The translations, by the English words with `{}` in place of each value. */
let table = {};
let spoken = "en";
let loading = Promise.resolve();

/** The tag of a template with words: own`Please type ${name}.` is a sentence in the reader's language. */
export function own(strings, ...values) {
    const translated = table[strings.join("{}")]?.split("{}");
    return String.raw({ raw: translated ?? strings }, ...values);
}

/** Speaks the first of `languages` that has a table; `de-AT` counts as `de`. Returns a promise of the time when it does. */
export function speak(languages) {
    const names = languages.map((each) => each?.split("-")[0]);
    const wanted = names.find((each) => Object.hasOwn(tables, each)) ?? "en";
    if (wanted !== spoken) loading = load(wanted);
    return loading;
}

async function load(wanted) {
    spoken = wanted;
    const words = await tables[wanted]().catch(() => null);
    // Another language may have been chosen meanwhile.
    if (wanted !== spoken) return;
    // The next call tries again.
    if (words === null) spoken = "en";
    table = words ?? {};
    document.documentElement.lang = spoken;
    // These elements are there before the language is known.
    for (const element of document.querySelectorAll("[data-own]")) {
        element.dataset.own ||= element.textContent;
        element.textContent = own([element.dataset.own]);
    }
}
