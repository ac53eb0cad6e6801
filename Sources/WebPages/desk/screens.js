import { at, find, h, setChildren } from "../shared/dom.js";
import { call } from "../shared/rpc.js";
import { InviteDialog } from "./invitedialog.js";
import { Poller } from "./poller.js";
import { RevokeDialog } from "./revokedialog.js";
import { ScreenRow } from "./screenrow.js";

/** How long the guest that the link to the players' screen makes is valid: the parameter `for` of the method `invite`. */
const guestHours = 12;

/** The query with which the page at which guests join goes on to the overlay. */
const overlayQuery = "?to=overlay";

/** `askIfStopped` waits until this time has passed since the newest request. */
const minimumPauseMs = 1_000;

/**
 * The browsers that follow the chosen session, the guests who are not connected, the link to the players' screen, and the
 * button that invites guests. The protocol calls these browsers and guests screens. The stream does not report screens, so the page asks the server each second,
 * as long as there is a screen or an invitation.
 */
export class Screens {
    #element = find("#screens");
    #list = h("ul", { class: "lamps" });
    /** The rows, by the name of the token or the address. */
    #rows = new Map();
    /** An object that all parts of the desk share. This part uses the rights. */
    #context;
    /** The `ChosenSession`, an object with the name of the session that the desk shows. */
    #chosenSession;
    #poller = new Poller(() => this.#ask());
    /** Counts the calls of `start`, `stop` and `#ask`, so that answers to earlier requests are ignored. */
    #generation = 0;
    /** Whether the page asks the server each second. */
    #isAsking = false;
    /** The value of performance.now() at the newest request. */
    #askedAt = -minimumPauseMs;
    /** The timer of the next request, if the page has stopped asking and a change has come; otherwise 0. */
    #laterTimer = 0;
    #inviteDialog;
    #takeOutDialog = new RevokeDialog({ title: "Take this guest out?", verb: "Take out" }, () => this.start());
    /**
     * The link to the players' screen of the session, without a token: that page has a cookie of its own, so that a hall's
     * screen does not get the rights of the desk.
     */
    #playLink = this.#link("Players' screen", "");
    /** The link to the same page on a wall, in large letters and without buttons. */
    #wallLink = this.#link("Wall", "?screen=wall");
    /** The link to the overlay of a video, such as a browser source of OBS. */
    #overlayLink = this.#link("Overlay", overlayQuery);
    /** The results of performance.now() at which this browser became a guest of the sessions, by their names. */
    #joinedAt = new Map();

    /** The `Logbook`, whose events tell the names that guests have typed. */
    #logbook;

    /** Calls `onInvited()` after an invitation was made. */
    constructor(context, chosenSession, logbook, onInvited) {
        this.#inviteDialog = new InviteDialog(() => {
            this.start();
            onInvited();
        });
        [this.#context, this.#chosenSession, this.#logbook] = [context, chosenSession, logbook];
        const title = h("h2", { id: "screens-title" }, "Screens");
        const onclick = () => this.#inviteDialog.ask(this.#chosenSession.name);
        const button = h("button", { type: "button", class: "quiet", onclick }, "Invite");
        const controls = h("fieldset", { class: "plain needs-connection", "aria-label": "Invite" }, button);
        const links = h("p", { class: "links" }, this.#playLink, this.#wallLink, this.#overlayLink);
        this.#element.append(h("header", {}, title, links, controls), this.#list);
    }

    /** Called when the page has connected to the daemon, and when another session is chosen or a guest is invited. */
    start() {
        this.#generation += 1;
        this.#isAsking = true;
        this.#poller.start();
    }

    stop() {
        clearTimeout(this.#laterTimer);
        this.#laterTimer = 0;
        this.#generation += 1;
        this.#isAsking = false;
        this.#poller.stop();
    }

    /**
     * Called after each change of the chosen session. If the page has stopped asking, it asks again, because a screen may have
     * come.
     */
    askIfStopped() {
        if (this.#isAsking) return;
        const pauseMs = minimumPauseMs - (performance.now() - this.#askedAt);
        this.#laterTimer ||= setTimeout(() => {
            this.#laterTimer = 0;
            this.start();
        }, Math.max(0, pauseMs));
    }

    /**
     * Opens the players' screen in a new tab. The first time, the tab follows an invitation for one guest, so that the screen
     * has the rights of a guest and asks for no token. `query` is the query of the screen's address.
     */
    async #openScreen(event, query) {
        const { name } = this.#chosenSession;
        const isGuest = performance.now() - (this.#joinedAt.get(name) ?? -Infinity) < guestHours * 3_600_000;
        // A browser blocks a tab that is opened later than the press.
        const tab = isGuest ? null : window.open("", "_blank");
        // The browser follows the link.
        if (tab === null) return;
        event.preventDefault();
        tab.opener = null;
        try {
            const params = { session: name, role: "play", once: true, for: `${guestHours}h` };
            const { link } = await call("invite", params);
            this.#joinedAt.set(name, performance.now());
            // The address of the desk may differ from that of guests.
            tab.location.replace(`${at("join")}${query}#${link.split("#")[1]}`);
        } catch {
            tab.location.replace(addressOf(name, query));
        }
    }

    #link(text, query) {
        const onclick = (event) => this.#openScreen(event, query);
        const link = h("a", { target: "_blank", rel: "noopener", onclick }, text);
        link.dataset.query = query;
        return link;
    }

    async #ask() {
        const { name } = this.#chosenSession;
        const mayAsk = name !== null && this.#context.rights.has("operate", name);
        this.#element.hidden = !mayAsk;
        if (!mayAsk) return this.stop();
        for (const link of [this.#playLink, this.#wallLink, this.#overlayLink]) link.href = addressOf(name, link.dataset.query);
        this.#askedAt = performance.now();
        const generation = ++this.#generation;
        try {
            const { screens, invitations } = await call("screens", { session: name });
            if (generation !== this.#generation) return;
            this.#show(screens);
            if (screens.length === 0 && invitations === 0) this.stop();
        } catch {
            // The stream reports a lost connection, and the next answer is shown as usual.
        }
    }

    #show(screens) {
        const players = playersByToken(this.#logbook.entries);
        const mayRevoke = this.#context.rights.hasEverywhere("operate");
        const previousRows = this.#rows;
        this.#rows = new Map();
        for (const screen of screens) {
            const key = screen.name ?? screen.address;
            const row = previousRows.get(key) ?? new ScreenRow((person) => this.#takeOut(screen.name, person));
            row.show(screen, players.get(screen.name), mayRevoke);
            this.#rows.set(key, row);
        }
        setChildren(this.#list, [...this.#rows.values()].map(({ element }) => element));
    }

    /** Asks, and then revokes the token of a guest. `person` is what the list calls the guest. */
    #takeOut(name, person) {
        const consequences = " can neither watch nor play any more. This cannot be taken back, but a new invitation lets the guest in again.";
        this.#takeOutDialog.ask(name, person, consequences);
    }
}

/** The address of a session's players' screen, or of its overlay. */
function addressOf(name, query) {
    const session = encodeURIComponent(name);
    return query === overlayQuery ? at(`overlay/${session}`) : at(`play/${session}`) + query;
}

/** The names that the senders of events have given as players, by the names of their tokens. */
function playersByToken(entries) {
    const players = new Map();
    for (const { record } of entries) {
        const [, token] = /^token:(.+)$/.exec(record.source?.as ?? "") ?? [];
        const player = record.event?.args?.player;
        // The entries are newest first.
        if (token !== undefined && typeof player === "string" && !players.has(token)) players.set(token, player);
    }
    return players;
}
