import { announce } from "../shared/announce.js";
import { Banner } from "../shared/banner.js";
import { onOtherTabSignIn } from "../shared/credential.js";
import { find } from "../shared/dom.js";
import { forgetFlows, readIn } from "../shared/flows.js";
import { forgetNewestTitles } from "../shared/newesttitles.js";
import { PresentSession } from "../shared/presentsession.js";
import { login, onMissingRights } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { Rights } from "../shared/rights.js";
import { Stream } from "../shared/stream.js";
import { Alerts } from "./alerts.js";
import { Bar } from "./bar.js";
import { ChosenSession } from "./chosensession.js";
import { Clients } from "./clients.js";
import { DeskClock } from "./clock.js";
import { Connections } from "./connections.js";
import { Devices } from "./devices.js";
import { Diagram } from "./diagram.js";
import { LogView } from "./log.js";
import { Logbook } from "./logbook.js";
import { Nodes } from "./nodes.js";
import { PresentState } from "./presentstate.js";
import { Roster } from "./roster.js";
import { Screens } from "./screens.js";
import { Tiles } from "./tiles.js";
import { Tokens } from "./tokens.js";

/*
 * The operator's desk: all sessions, and one of them in full. This file passes the server's messages to
 * the parts that show them.
 */

/** With more sessions than this, the page does not ask for beats. */
const maxSessionsWithBeats = 50;
const queryWithBeats = { session: "*", topics: "changes,beats,refusals,stuck" };
const queryWithoutBeats = { session: "*", topics: "changes,refusals,stuck" };

/** The values that the parts of the desk share: facts about the daemon, and about the page's connection to the daemon. */
const context = {
    rights: new Rights(),
    /** The `instance` of the daemon, from the snapshot; null until a snapshot has come. */
    instance: null,
    /** The identity of this page, such as `token:desk`; undefined for a page without an identity. */
    name: undefined,
    /** The position of the newest change that the page shows. */
    pos: 0,
    isVirtual: false,
    isLost: true,
    /** Whether the page has stopped asking for beats, because there are many sessions. */
    isWithoutBeats: false,
    /** The names of the Bluetooth devices, by their addresses. */
    deviceNames: new Map(),
};
const presentSession = new PresentSession(showPresentSession);
/** The newest changes and refusals of the shown session. */
const logbook = new Logbook();
const chosenSession = new ChosenSession(showChosenSession);
const bar = new Bar(signOut);
const banner = new Banner();
const clock = new DeskClock();
const roster = new Roster(chosenSession, context);
/** The overview of all sessions. A button of the roster shows and hides it. */
const tiles = new Tiles(context, roster.overview, (name) => chosenSession.pick(name));
/** The state, the timers and the accepted events of the shown session. */
const presentState = new PresentState(presentSession, logbook, context, clock);
const diagram = new Diagram(presentSession, logbook);
const log = new LogView(logbook, context, chosenSession, (record) => presentState.undoTo(record));
const devices = new Devices(context, clock, () => log.redrawDevices());
const connections = new Connections(context);
const tokens = new Tokens(context);
const clients = new Clients(context, clock);
const nodes = new Nodes(context);
/** The browsers that follow the chosen session, and the button that invites guests. Each invitation adds a token. */
const screens = new Screens(context, chosenSession, logbook, () => tokens.start());
/** What does not work. The tiles show it, too. */
const alerts = new Alerts(context, (list) => tiles.showAlerts(list), (name) => chosenSession.pick(name));
/** The parts that ask the daemon repeatedly while there is a connection. */
const pollingParts = [alerts, devices, connections, screens, tokens, clients, nodes];
const signIn = new SignIn(start);
const stream = new Stream(queryWithBeats, { event: handle, lost, denied });

// The log, the age of the present state and the highlighted transitions come from the logbook.
logbook.onChange(() => {
    log.show();
    presentState.showLogFacts();
    diagram.highlight();
});
// A click on any session of the roster, even on the session that is already chosen, leaves the overview.
find("#roster").addEventListener("click", ({ target }) => {
    if (target.closest("a")) tiles.hide();
});
onMissingRights(readRights);
onOtherTabSignIn(readRights);
readIn(navigator.languages);
signIn.begin();

/** Connects again: the snapshot of the new connection contains the present rights of the page. */
function readRights() {
    if (signIn.isShown) start();
    else stream.reconnect();
}

/** Connects for the first time, or after a sign-in. */
function start() {
    context.instance = null;
    bar.connecting();
    stream.start();
}

async function signOut() {
    stream.stop();
    for (const part of pollingParts) part.stop();
    banner.hide();
    // The login with an empty token signs out.
    const isSignedOut = await login("").then(() => true, () => false);
    signIn.show(isSignedOut ? "" : "gamed does not answer, so you may still be signed in.");
}

/** The server has refused the stream, with the HTTP status 401 or 403. */
function denied({ status }) {
    for (const part of pollingParts) part.stop();
    banner.hide();
    const wasSignedIn = context.instance !== null;
    signIn.deny(status, wasSignedIn);
}

/** The connection is lost. The stream connects again by itself. */
function lost() {
    context.isLost = true;
    for (const part of pollingParts) part.stop();
    presentSession.stop();
    logbook.cancelReading();
    signIn.hide();
    banner.connectionLost();
    bar.lost();
    setConnected(false);
    showPresentSession();
}

/** Greys the page and disables the controls of the class `needs-connection` while there is no connection. */
function setConnected(isConnected) {
    document.body.classList.toggle("stale", !isConnected);
    for (const part of document.querySelectorAll(".needs-connection")) part.disabled = !isConnected;
}

/**
 * The functions that handle the server's events, by type. `overrun` means that the server has dropped messages that waited for
 * the page. The page has nothing to do then: the server closes the connection, and the stream connects again.
 */
const handlers = { snapshot, change, beat, refused, stuck, gap, clock: clockMoved, overrun() {} };

function handle(type, data) {
    handlers[type]?.(data);
}

/**
 * Each connection begins with a snapshot: facts about the daemon, and its sessions. If `more` is true, there are further
 * sessions, which the snapshot does not contain.
 */
function snapshot(data) {
    const isNew = data.instance !== context.instance;
    const isVirtual = data.clock === "virtual";
    const { instance, pos } = data;
    const rights = new Rights(data.rights);
    Object.assign(context, { rights, instance, pos, isVirtual, isLost: false, name: data.name });
    if (isNew) {
        logbook.clear();
        forgetFlows();
        forgetNewestTitles();
    }
    signIn.hide();
    banner.connectionOpened();
    bar.open(data.name, data.role);
    clock.set(isVirtual, data.nowMs, rights.hasEverywhere("operate"));
    setConnected(true);
    for (const part of pollingParts) part.start(isNew);
    roster.setSessions(data);
    tiles.setSessions(data);
    if (chosenSession.name === null) chosenSession.showFirst(roster.initialName());
    else refreshChosen(data.sessions);
    if (data.sessions.length > maxSessionsWithBeats || data.more) stopBeats();
}

/** With many sessions, beats would be too frequent to show. */
function stopBeats() {
    if (context.isWithoutBeats) return;
    context.isWithoutBeats = true;
    stream.setQuery(queryWithoutBeats);
}

/** Shows the chosen session as it is in `sessions`, and adds missed changes to the log. */
function refreshChosen(sessions) {
    const { name } = chosenSession;
    presentSession.follow(name, sessions.find(({ session }) => session === name));
    logbook.readHistory(name);
}

/** Shows another session. Called when the user has chosen it, or the address names it. */
function showChosenSession(name) {
    tiles.hide();
    logbook.clear();
    presentState.clearOutcome();
    roster.markChosen(name);
    presentSession.follow(name);
    logbook.readHistory(name);
    screens.start();
}

function change(data) {
    clock.advanceTo(data.atMs);
    if (data.session === chosenSession.name) logbook.add(data);
    // After a reconnection, the stream sends the missed changes. The snapshot, which came first, already contains them.
    if (data.pos <= context.pos) return;
    context.pos = data.pos;
    devices.handleEventFrom(data.source);
    roster.change(data);
    tiles.change(data);
    if (data.session !== chosenSession.name) return;
    presentSession.applyChange(data);
    screens.askIfStopped();
    if (data.to && data.to.state !== data.from?.state) {
        announce(`Now ${presentSession.titles.spokenState(data.to.state)}`);
    }
    if (data.kind === "close") announce(`Session ${data.session} is closed`);
}

function beat(data) {
    clock.advanceTo(data.atMs);
    if (data.session !== chosenSession.name) return;
    if (data.event) presentState.beat(data.event.name);
    presentSession.applyBeat(data);
}

function refused(data) {
    clock.advanceTo(data.atMs);
    devices.handleEventFrom(data.source);
    // The event is null if the flow hides it from the user.
    if (data.source.kind === "timer" && data.event) roster.refusedTimer(data.session, data.event.name);
    if (data.session !== chosenSession.name) return;
    logbook.add({ ...data, kind: "refused" });
    presentState.showPresses();
}

/** A session is stuck: it stays in its state longer than usual. */
function stuck({ session, atMs }) {
    clock.advanceTo(atMs);
    roster.stuck(session);
}

/** Some changes are no longer remembered. The server sends the present state of the sessions in their place. */
function gap(data) {
    context.pos = data.pos;
    roster.setSessions(data);
    tiles.setSessions(data);
    refreshChosen(data.sessions);
}

/** The virtual clock has advanced to `nowMs`. */
function clockMoved(data) {
    clock.advanceTo(data.nowMs);
    devices.askSoon();
    tiles.clockAdvanced();
    if (chosenSession.name !== null) presentSession.requestStatus();
}

function showPresentSession() {
    presentState.show();
    diagram.show();
}
