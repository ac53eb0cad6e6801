import { find, h, setText } from "../shared/dom.js";
import { logRow } from "./logrow.js";
import { undoableChanges } from "./undoable.js";

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
    /** The `ChosenSession`, an object with the name of the session that the desk shows. */
    #chosenSession;
    #onUndoTo;
    #rowsByKey = new Map();
    #list = h("ol", { class: "entries" });
    #emptyText = h("p", { class: "help" });
    #filterInput;
    #kindSelect;

    /** Calls `onUndoTo(record)` if all changes after the change of `record` are to be undone. */
    constructor(logbook, context, chosenSession, onUndoTo) {
        [this.#logbook, this.#context] = [logbook, context];
        [this.#chosenSession, this.#onUndoTo] = [chosenSession, onUndoTo];
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
        const changes = undoableChanges(this.#logbook.entries);
        for (const { key, record } of this.#logbook.entries) {
            const row = previousRows.get(key) ?? this.#makeRow(record);
            this.#rowsByKey.set(key, row);
            previousRows.delete(key);
            if (row === foundRow) foundRow = foundRow.nextSibling;
            else this.#list.insertBefore(row, foundRow);
            this.#showUndoButton(row, record, changes);
        }
        for (const row of previousRows.values()) row.remove();
        this.#filter();
    }

    #makeRow(record) {
        const row = logRow(record, this.#context.isVirtual, this.#context.deviceNames);
        if (!record.pos || record.kind === "close") return row;
        const onclick = () => this.#onUndoTo(record);
        const attributes = { type: "button", class: "quiet undo-to", title: `Undo all after #${record.seq}`, onclick };
        find(".what", row).append(h("button", attributes, "Undo to here"));
        return row;
    }

    /** The button is shown if something after the change can be undone, and nothing between cannot. */
    #showUndoButton(row, { seq }, changes) {
        const button = find(".undo-to", row);
        if (button === null) return;
        const mayUndo = this.#context.rights.has("operate", this.#chosenSession.name ?? "");
        const oldest = changes.at(-1)?.seq ?? 0;
        button.hidden = !mayUndo || seq < oldest - 1 || !changes.some((change) => change.seq > seq);
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
