import { find, h, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/newesttitles.js";
import { call } from "../shared/rpc.js";
import { Tile } from "./tile.js";

/** If there are more sessions than this, the overview shows only the first sessions by name. */
const maximumTiles = 60;
/** The time between two updates of the remaining times. */
const drawIntervalMs = 200;

/**
 * The overview of all rooms: a tile for each session. A change of a session does not contain its timers. So while the overview
 * is shown, the page requests the changed sessions, one at a time.
 */
export class Tiles {
    #element = find("#rooms");
    /** The parts that show one session; hidden while the overview is shown. */
    #stage = find("#stage");
    #list = h("ul", { class: "tiles" });
    #hiddenCount = h("p", { class: "help" });
    #button;
    /**
     * An object that all parts of the desk share. This part uses its members `isVirtual` (the clock is virtual) and `isLost`
     * (the connection is lost).
     */
    #context;
    /** The tiles, by the names of the sessions. */
    #tiles = new Map();
    /** The names of the sessions whose tiles are out of date. */
    #outdatedNames = new Set();
    /** The text of the newest alert of each session that has one. */
    #alertTexts = new Map();
    #isReading = false;
    #drawTimer = 0;

    /** `button` shows and hides the overview. A click on a tile hides the overview and calls `showSession(name)`. */
    constructor(context, button, showSession) {
        [this.#context, this.#button] = [context, button];
        this.#element.append(this.#list, this.#hiddenCount);
        button.addEventListener("click", () => this.#setShown(!this.isShown));
        this.#list.addEventListener("click", (event) => {
            const link = event.target.closest("a");
            if (!link) return;
            event.preventDefault();
            this.hide();
            showSession(link.dataset.session);
        });
    }

    get isShown() {
        return !this.#element.hidden;
    }

    hide() {
        this.#setShown(false);
    }

    /** Replaces all sessions by the sessions of a snapshot or a gap. */
    setSessions({ sessions }) {
        const previousTiles = this.#tiles;
        this.#tiles = new Map(sessions.map(({ session }) => [session, previousTiles.get(session) ?? new Tile(session)]));
        this.#outdatedNames = new Set();
        for (const session of sessions) this.#show(session);
        this.#draw();
    }

    /** Called when any session has changed. */
    change({ session, kind }) {
        if (kind === "close") {
            this.#tiles.delete(session);
            this.#outdatedNames.delete(session);
        } else {
            if (!this.#tiles.has(session)) this.#tiles.set(session, new Tile(session));
            this.#outdatedNames.add(session);
        }
        if (this.isShown) this.#readOutdated();
    }

    /** Called when the virtual clock has advanced, which changes the remaining times of all sessions. */
    clockAdvanced() {
        for (const name of this.#tiles.keys()) this.#outdatedNames.add(name);
        if (this.isShown) this.#readOutdated();
    }

    /** Shows in each tile the newest alert of its session. `alerts` is the result of the method `alerts`. */
    showAlerts(alerts) {
        const ofSessions = alerts.filter(({ session }) => session !== undefined);
        this.#alertTexts = new Map(ofSessions.map(({ session, text }) => [session, text]));
        this.#draw();
    }

    #setShown(isShown) {
        this.#button.setAttribute("aria-pressed", String(isShown));
        this.#element.hidden = !isShown;
        this.#stage.hidden = isShown;
        clearInterval(this.#drawTimer);
        if (!isShown) return;
        this.#drawTimer = setInterval(() => this.#draw(), drawIntervalMs);
        this.#readOutdated();
    }

    /** Requests the sessions whose tiles are out of date. Does nothing if this is already under way. */
    async #readOutdated() {
        this.#draw();
        if (this.#isReading) return;
        this.#isReading = true;
        while (this.isShown && this.#outdatedNames.size > 0) {
            const [name] = this.#outdatedNames;
            this.#outdatedNames.delete(name);
            const session = await call("status", { session: name }).catch(() => null);
            if (session && this.#tiles.has(name)) this.#show(session);
        }
        this.#isReading = false;
        this.#draw();
    }

    /** Shows a session in its tile. Shows the titles of its flow when they arrive. */
    #show(session) {
        this.#tiles.get(session.session)?.show(session, performance.now());
        this.#showTitles(session.session);
    }

    #showTitles(name) {
        const tile = this.#tiles.get(name);
        tile?.showTitles(titlesOfNewestVersion(tile.flow, () => this.#showTitles(name)));
    }

    /** Puts the tiles into the overview, and shows the remaining times. */
    #draw() {
        // Without a connection the remaining times are not known, so the shown times stand still.
        if (!this.isShown || this.#context.isLost) return;
        const names = [...this.#tiles.keys()].sort();
        const shownTiles = names.slice(0, maximumTiles).map((name) => this.#tiles.get(name));
        for (const tile of shownTiles) tile.draw(!this.#context.isVirtual);
        for (const name of names.slice(0, maximumTiles)) {
            this.#tiles.get(name).showAlert(this.#alertTexts.get(name) ?? "");
        }
        setChildren(this.#list, shownTiles.map(({ element }) => element));
        const hiddenCount = names.length - maximumTiles;
        setText(this.#hiddenCount, hiddenCount > 0 ? `${hiddenCount} more; use the filter of the session list.` : "");
    }
}
