import { addStyles, h, setChildren } from "../shared/dom.js";
import { valueText } from "../shared/words.js";

/*
 * The ranking at the end of a game: places, names and points. A page loads this file when a game has ended with points, and
 * this file loads its styles.
 */

addStyles(new URL("./ranking.css", import.meta.url));

export class Ranking {
    element = h("ol", { class: "ranking" });
    #shownText = "";

    /** `points` is an object with a number for each name; `title` is read by screen readers. */
    show(points, title) {
        const text = JSON.stringify([points, title]);
        if (text === this.#shownText) return;
        this.#shownText = text;
        const rows = placesOf(points);
        this.element.setAttribute("aria-label", title);
        this.element.style.setProperty("--rows", String(rows.length));
        this.element.classList.toggle("wide", rows.length > maximumOneColumn);
        setChildren(this.element, rows.map(rowOf));
    }
}

/** With more names, a wide screen has two columns. */
const maximumOneColumn = 8;

function rowOf({ place, name, number }) {
    return h(
        "li",
        { class: place === 1 ? "winner" : null },
        h("span", { class: "place" }, `${place}.`),
        h("span", { class: "who" }, name),
        h("span", { class: "points" }, valueText(number)),
    );
}

/** The names with their places, the highest number first. Names with the same number have the same place. */
export function placesOf(points) {
    const pairs = Object.entries(points).sort((a, b) => b[1] - a[1]);
    return pairs.map(([name, number]) => {
        const place = 1 + pairs.filter((other) => other[1] > number).length;
        return { place, name, number };
    });
}
