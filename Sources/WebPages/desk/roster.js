import { at, find, h, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/newesttitles.js";
import { isEntry } from "../shared/presentsession.js";
import { call } from "../shared/rpc.js";
import { Titles } from "../shared/titles.js";
import { EveryRoom } from "./everyroom.js";
import { FinalStates } from "./finalstates.js";
import { OpenDialog } from "./opendialog.js";
import { RosterRow } from "./rosterrow.js";
import { teamText } from "./teamtext.js";

/**
 * The list of the sessions, by name. If there are more than `maximumRows` sessions, the list shows only the first ones, and a
 * filter finds the other sessions.
 */

const maximumRows = 200;
const minimumRowsForFilter = 9;
/** The maximum number of pages that are read with the method `list`. */
const maximumPages = 10;

export class Roster {
    #sessions = new Map();
    #rows = new Map();
    #finalStates = new FinalStates(() => this.#drawSoon());
    /** The `ChosenSession`: the name of the session that the desk shows. */
    #chosen;
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    #list = h("ul", { class: "rows" });
    /** How many sessions are not shown, or why no session is shown. */
    #listNote = h("p", { class: "list-note" });
    #count = h("span", { class: "count" });
    #filter;
    #openButton;
    #statistics = h("a", { href: at("stats") }, h("span", { class: "name" }, "Statistics"));
    /** The button that shows and hides the tiles of all sessions. */
    overview = h("button", { type: "button", class: "quiet", id: "overview", "aria-pressed": "false" }, "All rooms");
    #everyRoom = new EveryRoom();
    #frame = 0;
    #listTimer = 0;

    constructor(chosen, context) {
        [this.#chosen, this.#context] = [chosen, context];
        const filterAttributes = { type: "search", "aria-label": "Filter sessions", placeholder: "Filter" };
        this.#filter = h("input", { ...filterAttributes, oninput: () => this.#drawSoon() });
        const dialog = new OpenDialog((name) => chosen.pick(name));
        const buttonAttributes = { type: "button", class: "quiet", onclick: () => dialog.ask() };
        this.#openButton = h("button", buttonAttributes, "Open a session");
        const controls = h("fieldset", { class: "plain needs-connection" }, this.#openButton);
        const title = h("h2", {}, "Sessions", this.#count);
        const everyRoom = this.#everyRoom.element;
        find("#roster").append(title, this.overview, everyRoom, this.#filter, this.#list, this.#listNote, controls, this.#statistics);
        this.#list.addEventListener("keydown", (event) => this.#handleKey(event));
        find("#roster-button").addEventListener("click", () => this.#setOpen(!this.#isOpen));
    }

    /** Replaces all sessions by the sessions of a snapshot or a gap. `more` is true if the daemon has further sessions. */
    setSessions({ sessions, more }) {
        this.#sessions = new Map(sessions.map((session) => [session.session, session]));
        this.#rows = new Map([...this.#rows].filter(([name]) => this.#sessions.has(name)));
        if (more) this.#readListSoon();
        this.#openButton.hidden = !this.#context.rights.hasSomewhere("operate");
        this.#statistics.hidden = !this.#context.rights.hasEverywhere("operate");
        this.#drawSoon();
    }

    /** Marks a session as stuck until it enters a state. */
    stuck(name) {
        this.#mark(name, { stuck: true });
    }

    /** Marks a session until it enters a state: its state refuses the signal of its own timer. */
    refusedTimer(name, timer) {
        this.#mark(name, { refusedTimer: timer });
    }

    #mark(name, mark) {
        const previous = this.#sessions.get(name);
        if (previous) this.#sessions.set(name, { ...previous, ...mark });
        this.#drawSoon();
    }

    change({ session, kind, to, seq, show, unshown, effects }) {
        const previous = this.#sessions.get(session);
        if (kind === "close") {
            this.#sessions.delete(session);
            this.#rows.delete(session);
        } else {
            const { flow, labels, language, stuck, refusedTimer, unsaid } = previous ?? {};
            const marks = isEntry({ kind }) ? {} : { stuck, refusedTimer, unsaid };
            const missing = (effects ?? []).flatMap(({ name, unshown }) => (unshown ?? []).map((key) => `${name} ${key}`));
            if (missing.length > 0) marks.unsaid = missing;
            // A change whose screen is the one before has no `show`.
            marks.unshown = show ? unshown : previous?.unshown;
            this.#sessions.set(session, { session, flow, labels, language, state: to.state, seq, ...marks });
        }
        // A change contains neither the name of its flow nor all labels.
        if (kind === "open" || kind === "label" || !previous) this.#readListSoon();
        this.#rows.get(session)?.flash();
        this.#drawSoon();
    }

    /** The session that is shown first. */
    initialName() {
        return this.#sessions.has("main") ? "main" : ([...this.#sessions.keys()].sort()[0] ?? null);
    }

    markChosen(name) {
        setText(find("#roster-button"), name);
        this.#setOpen(false);
        this.#drawSoon();
    }

    get #isOpen() {
        return find("#roster-button").getAttribute("aria-expanded") === "true";
    }

    #setOpen(isOpen) {
        find("#roster-button").setAttribute("aria-expanded", String(isOpen));
        find("#roster").classList.toggle("open", isOpen);
    }

    /** Reads the list 50 ms after the call. Further calls until then have no effect. */
    #readListSoon() {
        this.#listTimer ||= setTimeout(() => {
            this.#listTimer = 0;
            this.#readList().catch(() => {});
        }, 50);
    }

    async #readList() {
        let after;
        for (let page = 0; page < maximumPages; page += 1) {
            const { sessions, more } = await call("list", after ? { after } : {});
            for (const session of sessions) {
                const previous = this.#sessions.get(session.session);
                const isKnown = previous && previous.seq >= session.seq;
                const { flow, labels, language } = session;
                // The list lacks some of the marks.
                this.#sessions.set(session.session, isKnown ? { ...previous, flow, labels, language } : session);
            }
            this.#drawSoon();
            if (!more) return;
            after = sessions.at(-1).session;
        }
    }

    #drawSoon() {
        cancelAnimationFrame(this.#frame);
        this.#frame = requestAnimationFrame(() => this.#draw());
    }

    #draw() {
        const word = this.#filter.value.trim().toLowerCase();
        const matches = (entry) => {
            const { session, flow, state } = entry;
            const title = this.#titles(entry).state(state);
            return `${session} ${teamText(entry)} ${flow ?? ""} ${state} ${title}`.toLowerCase().includes(word);
        };
        const all = [...this.#sessions.values()].sort(byName);
        const found = word === "" ? all : all.filter(matches);
        const rows = found.slice(0, maximumRows).map((session) => this.#row(session));
        setChildren(this.#list, rows);
        this.overview.hidden = all.length < 2;
        this.#everyRoom.element.hidden = all.length < 2 || !this.#context.rights.hasSomewhere("operate");
        this.#filter.hidden = all.length < minimumRowsForFilter && word === "";
        setText(this.#count, String(all.length));
        setText(this.#listNote, listNoteText(found.length, all.length));
    }

    #row(session) {
        const name = session.session;
        if (!this.#rows.has(name)) this.#rows.set(name, new RosterRow(name));
        const row = this.#rows.get(name);
        const titles = this.#titles(session);
        row.show(session, titles, this.#finalStates.isFinal(session), name === this.#chosen.name);
        return row.element;
    }

    /** The titles of the flow's newest version. The method `list` does not return the version that a session plays. */
    #titles({ flow }) {
        return flow ? titlesOfNewestVersion(flow, () => this.#drawSoon()) : new Titles();
    }

    /** The arrow keys move through the list and show each session. */
    #handleKey(event) {
        const rows = [...this.#list.querySelectorAll("a")];
        const index = rows.indexOf(document.activeElement);
        const targets = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 };
        const next = targets[event.key];
        if (next === undefined || !rows[next]) return;
        event.preventDefault();
        rows[next].focus();
        this.#chosen.pick(rows[next].dataset.session);
    }
}

function byName(a, b) {
    return a.session < b.session ? -1 : 1;
}

function listNoteText(found, all) {
    if (found > maximumRows) return `${found - maximumRows} more; the filter finds them.`;
    if (all === 0) return "No session is open.";
    return found === 0 ? "No session has this name, title, team, flow or state." : "";
}
