import { find, h, setText } from "../shared/dom.js";
import { logRow } from "./logrow.js";

/** The kinds of records that can be selected: the kinds of changes, and `refused` for refusals. */
const kinds = [
    "enter", "keep", "defer", "drop", "goto", "timer", "open", "close", "label", "say", "move", "undo", "refused",
];

/** The log of the shown session: a row for each change and refusal, newest first. */
export class LogView {
    /** The `Logbook`, which has the records; its entries have unique keys. */
    #logbook;
    /** An object that all parts of the desk share. This part uses whether the clock is virtual, and the devices' names. */
    #context;
    #rowsByKey = new Map();
    #list = h("ol", { class: "entries" });
    #emptyText = h("p", { class: "help" });
    #filterInput;
    #kindSelect;

    constructor(logbook, context) {
        [this.#logbook, this.#context] = [logbook, context];
        const show = () => this.show();
        const filterAttributes = { type: "search", "aria-label": "Filter the log", placeholder: "Filter" };
        this.#filterInput = h("input", { ...filterAttributes, oninput: show });
        const options = kinds.map((kind) => h("option", { value: kind }, kind));
        this.#kindSelect = h(
            "select",
            { "aria-label": "Kind", onchange: show },
            h("option", { value: "" }, "all kinds"),
            options,
        );
        const title = h("h2", { id: "log-title" }, "Log");
        const tools = h("div", { class: "tools" }, this.#filterInput, this.#kindSelect);
        const scrollerAttributes = { class: "scroller", tabindex: 0, role: "group", "aria-label": "Entries" };
        const scroller = h("div", scrollerAttributes, this.#list, this.#emptyText);
        find("#log").append(h("header", {}, title, tools), scroller);
    }

    /** Makes all rows with devices again. Called when the name of a device has become known. */
    redrawDevices() {
        for (const [key, row] of this.#rowsByKey) {
            if (find("[data-device]", row) === null) continue;
            row.remove();
            this.#rowsByKey.delete(key);
        }
        this.show();
    }

    /** Shows the entries of the logbook. Existing rows stay in the list, so that the browser draws only the new rows. */
    show() {
        const previousRows = this.#rowsByKey;
        this.#rowsByKey = new Map();
        // The row that the list has at the place of the next entry; null at the end of the list.
        let foundRow = this.#list.firstChild;
        for (const { key, record } of this.#logbook.entries) {
            const row = previousRows.get(key) ?? logRow(record, this.#context.isVirtual, this.#context.deviceNames);
            this.#rowsByKey.set(key, row);
            previousRows.delete(key);
            if (row === foundRow) foundRow = foundRow.nextSibling;
            else this.#list.insertBefore(row, foundRow);
        }
        for (const row of previousRows.values()) row.remove();
        this.#filter();
    }

    /** Hides the rows that do not have the selected kind or do not contain the typed text. */
    #filter() {
        const searchText = this.#filterInput.value.trim().toLowerCase();
        const kind = this.#kindSelect.value;
        let shownCount = 0;
        for (const row of this.#rowsByKey.values()) {
            const isSelectedKind = kind === "" || row.dataset.kind === kind;
            row.hidden = !isSelectedKind || !row.textContent.toLowerCase().includes(searchText);
            if (!row.hidden) shownCount += 1;
        }
        const isFiltered = searchText !== "" || kind !== "";
        setText(this.#emptyText, shownCount > 0 ? "" : isFiltered ? "Nothing like that." : "Nothing yet.");
    }
}
