import { find, h, setText } from "../shared/dom.js";
import { own } from "../shared/ownwords.js";

/*
 * Nobody can scroll a wall, so a wall draws only those rows of a list of names that fit, and says how many more there are. The
 * lists are the ranking and, within the data, the values by name and the lists. A text has smaller letters if it would not fit.
 * A page loads this file if it is a wall.
 */

/** The first name, which is the winner's in a ranking, and the number of the other names. */
const minimumRows = 2;
/** A list with a name of more UTF-16 code units has wider columns. */
const shortName = 10;
/** The smallest letters of a text that would not fit, as a part of the usual size. */
const smallestLetters = 0.35;

export class WholeRows {
    #facts = find("#board .facts");
    #frame = 0;

    /** Fits the lists again when another part of the screen leaves them less or more space, as when a picture has been loaded. */
    constructor() {
        const sizes = new ResizeObserver(() => this.#fitSoon());
        const observe = () => [...this.#facts.children].forEach((each) => sizes.observe(each));
        new MutationObserver(observe).observe(this.#facts, { childList: true });
        sizes.observe(find("#board"));
        observe();
    }

    fit() {
        this.#facts.querySelectorAll(":scope > .data, :scope > #state-text").forEach((each) => scale(each, 1));
        this.#facts.querySelectorAll(":scope > .data, :scope > .ranking").forEach(fitInto);
        this.#facts.querySelectorAll(":scope > .data, :scope > #state-text").forEach(shrink);
    }

    /** Within the call of the observer, a change of sizes would be reported as an error. */
    #fitSoon() {
        cancelAnimationFrame(this.#frame);
        this.#frame = requestAnimationFrame(() => this.fit());
    }
}

/** Shows as many rows of each list as fit into the element `frame`. If it has several lists, the longest lists become shorter. */
function fitInto(frame) {
    const lists = frame.matches(".ranking") ? [frame] : [...frame.querySelectorAll(".pairs, .names")];
    const fits = (count) => {
        lists.forEach((list) => showRows(list, count));
        return isWhole(frame);
    };
    for (const list of lists.filter((each) => !each.matches(".names"))) {
        list.classList.toggle("long", namesOf(list).some(({ firstElementChild: name }) => name.textContent.length > shortName));
    }
    const longest = Math.max(0, ...lists.map((list) => namesOf(list).length));
    if (longest <= minimumRows || fits(longest)) return;
    let [fitting, tooMany] = [minimumRows, longest];
    while (tooMany - fitting > 1) {
        const middle = Math.floor((fitting + tooMany) / 2);
        if (fits(middle)) fitting = middle;
        else tooMany = middle;
    }
    fits(fitting);
}

function isWhole(element) {
    return element.scrollHeight <= element.clientHeight + 1;
}

/** Makes the letters of an element smaller, until it fits. */
function shrink(element) {
    for (let size = 0.95; !isWhole(element) && size >= smallestLetters; size -= 0.05) scale(element, size);
}

function scale(element, size) {
    element.style.setProperty("--letters", String(size));
}

/** Shows at most `count` rows. If there are more names, the last row has their number. */
function showRows(list, count) {
    const names = namesOf(list);
    const shown = names.length > count ? count - 1 : names.length;
    names.forEach((name, index) => (name.hidden = index >= shown));
    const more = find(".more", list) ?? h("li", { class: "more" });
    setText(more, own`and ${names.length - shown} more`);
    if (shown < names.length) names[shown].before(more);
    else more.remove();
}

function namesOf(list) {
    return [...list.children].filter((each) => !each.matches(".more"));
}
