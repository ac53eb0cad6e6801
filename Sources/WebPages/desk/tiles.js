import { find, h, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/flows.js";
import { call } from "../shared/rpc.js";
import { Tile } from "./tile.js";

/**
 * The overview of all rooms: a tile for each session. Changes do not contain the timers, so the sessions that
 * have changed are read again, one after the other, while the tiles are shown.
 */

const maximumTiles = 60;
const drawIntervalMs = 200;

export class Tiles {
    #element = find("#rooms");
    #stage = find("#stage");
    #list = h("ul", { class: "tiles" });
    #hiddenCount = h("p", { class: "help" });
    #button;
    /** An object that all parts of the desk share. This part uses whether the clock is virtual, and whether the connection is lost. */
    #context;
    #tiles = new Map();
    /** The names of the sessions whose tiles are out of date. */
    #changed = new Set();
    #isReading = false;
    #timer = 0;

    /** `button` shows and hides the tiles; `pick(name)` shows a session instead of them. */
    constructor(context, button, pick) {
        [this.#context, this.#button] = [context, button];
        this.#element.append(this.#list, this.#hiddenCount);
        button.addEventListener("click", () => this.#toggle(!this.isShown));
        this.#list.addEventListener("click", (event) => {
            const link = event.target.closest("a");
            if (!link) return;
            event.preventDefault();
            this.hide();
            pick(link.dataset.session);
        });
    }

    get isShown() {
        return !this.#element.hidden;
    }

    hide() {
        this.#toggle(false);
    }

    /** Takes all sessions, from a snapshot or a gap. */
    take({ sessions }) {
        const previousTiles = this.#tiles;
        this.#tiles = new Map(sessions.map(({ session }) => [session, previousTiles.get(session) ?? new Tile(session)]));
        this.#changed = new Set();
        for (const session of sessions) this.#show(session);
        this.#draw();
    }

    /** Takes a change of any session. */
    change({ session, kind }) {
        if (kind === "close") {
            this.#tiles.delete(session);
            this.#changed.delete(session);
        } else {
            if (!this.#tiles.has(session)) this.#tiles.set(session, new Tile(session));
            this.#changed.add(session);
        }
        if (this.isShown) this.#readChanged();
    }

    /** The virtual clock has moved. */
    clockMoved() {
        for (const name of this.#tiles.keys()) this.#changed.add(name);
        if (this.isShown) this.#readChanged();
    }

    #toggle(isShown) {
        this.#button.setAttribute("aria-pressed", String(isShown));
        this.#element.hidden = !isShown;
        this.#stage.hidden = isShown;
        clearInterval(this.#timer);
        if (!isShown) return;
        this.#timer = setInterval(() => this.#draw(), drawIntervalMs);
        this.#readChanged();
    }

    async #readChanged() {
        this.#draw();
        if (this.#isReading) return;
        this.#isReading = true;
        while (this.isShown && this.#changed.size > 0) {
            const [name] = this.#changed;
            this.#changed.delete(name);
            const session = await call("status", { session: name }).catch(() => null);
            if (session && this.#tiles.has(name)) this.#show(session);
        }
        this.#isReading = false;
        this.#draw();
    }

    #show(session) {
        const titles = titlesOfNewestVersion(session.flow, () => this.#show(session));
        this.#tiles.get(session.session)?.show(session, titles, performance.now());
    }

    #draw() {
        // Without a connection the remaining times are not known, so the shown times stand still.
        if (!this.isShown || this.#context.isLost) return;
        const names = [...this.#tiles.keys()].sort();
        const shown = names.slice(0, maximumTiles).map((name) => this.#tiles.get(name));
        for (const tile of shown) tile.draw(!this.#context.isVirtual);
        setChildren(this.#list, shown.map(({ element }) => element));
        const hiddenCount = names.length - maximumTiles;
        setText(this.#hiddenCount, hiddenCount > 0 ? `${hiddenCount} more; use the filter of the session list.` : "");
    }
}
