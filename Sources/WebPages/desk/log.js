import { find, h, setText } from "../shared/dom.js";
import { logRow } from "./logrow.js";

/** The kinds of records that can be selected. */
const kinds = [
    "enter", "keep", "defer", "drop", "goto", "timer", "open", "close", "label", "say", "move", "undo", "refused",
];

/** The log of the shown session: a row for each change and refusal, newest first. */
export class LogView {
    #logbook;
    /** An object that all parts of the desk share. This part uses whether the clock is virtual, and the devices' names. */
    #context;
    #rows = new Map();
    #list = h("ol", { class: "entries" });
    #emptyText = h("p", { class: "help" });
    #text;
    #kind;

    constructor(logbook, context) {
        [this.#logbook, this.#context] = [logbook, context];
        const show = () => this.show();
        const filterAttributes = { type: "search", "aria-label": "Filter the log", placeholder: "Filter" };
        this.#text = h("input", { ...filterAttributes, oninput: show });
        const options = kinds.map((kind) => h("option", { value: kind }, kind));
        this.#kind = h(
            "select",
            { "aria-label": "Kind", onchange: show },
            h("option", { value: "" }, "all kinds"),
            options,
        );
        const title = h("h2", { id: "log-title" }, "Log");
        const tools = h("div", { class: "tools" }, this.#text, this.#kind);
        const scrollerAttributes = { class: "scroller", tabindex: 0, role: "group", "aria-label": "Entries" };
        const scroller = h("div", scrollerAttributes, this.#list, this.#emptyText);
        find("#log").append(h("header", {}, title, tools), scroller);
    }

    /** Draws all rows with devices again. Called when the name of a device has become known. */
    redrawDevices() {
        for (const [key, row] of this.#rows) {
            if (find("[data-device]", row) === null) continue;
            row.remove();
            this.#rows.delete(key);
        }
        this.show();
    }

    show() {
        const previousRows = this.#rows;
        this.#rows = new Map();
        let next = this.#list.firstChild;
        for (const { key, record } of this.#logbook.entries) {
            const row = previousRows.get(key) ?? logRow(record, this.#context.isVirtual, this.#context.deviceNames);
            this.#rows.set(key, row);
            previousRows.delete(key);
            if (row === next) next = next.nextSibling;
            else this.#list.insertBefore(row, next);
        }
        for (const row of previousRows.values()) row.remove();
        this.#filter();
    }

    #filter() {
        const word = this.#text.value.trim().toLowerCase();
        const kind = this.#kind.value;
        let count = 0;
        for (const row of this.#rows.values()) {
            const isSelectedKind = kind === "" || row.dataset.kind === kind;
            row.hidden = !isSelectedKind || !row.textContent.toLowerCase().includes(word);
            if (!row.hidden) count += 1;
        }
        const isFiltered = word !== "" || kind !== "";
        setText(this.#emptyText, count > 0 ? "" : isFiltered ? "Nothing like that." : "Nothing yet.");
    }
}
