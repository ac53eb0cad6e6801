import { addStyles, h } from "../shared/dom.js";
import { humanised, valueText } from "../shared/words.js";
import { instantText } from "./instants.js";
import { remainingChanges } from "./undoable.js";

/*
 * The hints that were given in this game, sorted by puzzle, so that an operator does not give one twice. The desk loads this file
 * when the shown flow has events with `hint`, and this file loads its styles.
 */

addStyles(new URL("./givenhints.css", import.meta.url));

export class GivenHints {
    element = h("section", { class: "givenhints", "aria-label": "Hints given" });

    /** Shows the hints among the entries of the `Logbook`. `events` are those of the flow, as `describe` returns them. */
    show(entries, events, isVirtual) {
        const hintEvents = new Map(events.filter(({ hint }) => hint).map((event) => [event.name, event]));
        const puzzles = puzzlesOf([...hintEvents.values()]);
        for (const { kind, event: sent, atMs, time } of remainingChanges(entries)) {
            // Older changes are of an earlier game.
            if (kind === "open") break;
            const event = hintEvents.get(sent?.name);
            if (!event) continue;
            const text = textOf(event, sent.args);
            const puzzle = puzzleOf(event, sent.args);
            // An earlier version of the flow may have had other puzzles.
            if (!puzzles.has(puzzle)) puzzles.set(puzzle, []);
            puzzles.get(puzzle).unshift({ text, time: instantText(atMs, isVirtual, time) });
        }
        const given = [...puzzles].filter(([, hints]) => hints.length > 0);
        this.element.hidden = given.length === 0;
        const isDivided = puzzles.size > 1;
        this.element.replaceChildren(h("h3", {}, "Hints given"), ...given.map((puzzle) => groupOf(puzzle, isDivided)));
        markGiven(given.flatMap(([, hints]) => hints.map(({ text }) => text)));
    }
}

/** The argument that says which puzzle a hint is for: the first with a list of values; undefined without one. */
function puzzleArgument({ args }) {
    return args.find(({ values }) => values);
}

function puzzleOf(event, args) {
    const value = args?.[puzzleArgument(event)?.name];
    return typeof value === "string" ? humanised(value) : (event.title ?? humanised(event.name));
}

/** An empty list for each puzzle, in the order of the flow. */
function puzzlesOf(events) {
    const names = events.flatMap((event) => {
        const argument = puzzleArgument(event);
        return argument ? argument.values.map((value) => puzzleOf(event, { [argument.name]: value })) : [puzzleOf(event)];
    });
    return new Map(names.map((name) => [name, []]));
}

/** The arguments without the puzzle; the title of an event that has no others. */
function textOf(event, args) {
    const puzzle = puzzleArgument(event)?.name;
    const texts = event.args.filter(({ name }) => name !== puzzle && args?.[name] !== undefined).map(({ name }) => valueText(args[name]));
    return texts.length > 0 ? texts.join(", ") : (event.title ?? humanised(event.name));
}

function groupOf([puzzle, hints], isDivided) {
    const rows = hints.map(({ text, time }) => h("li", {}, h("span", {}, text), h("time", {}, time)));
    return h("div", {}, isDivided ? h("h4", {}, puzzle) : null, h("ol", {}, rows));
}

/** Marks the suggested texts that were given. */
function markGiven(texts) {
    for (const option of document.querySelectorAll(".press-form.hint datalist option")) {
        option.label = texts.includes(option.value) ? `given: ${option.value}` : option.value;
    }
}
