import { announce } from "../shared/announce.js";
import { Banner } from "../shared/banner.js";
import { onOtherTabChange } from "../shared/credential.js";
import { one } from "../shared/dom.js";
import { forgetFlows } from "../shared/flows.js";
import { Present } from "../shared/present.js";
import { login, onMissingRights } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { Rights } from "../shared/rights.js";
import { Stream } from "../shared/stream.js";
import { Bar } from "./bar.js";
import { Chosen } from "./chosen.js";
import { DeskClock } from "./clock.js";
import { Connections } from "./connections.js";
import { Devices } from "./devices.js";
import { Diagram } from "./diagram.js";
import { LogView } from "./log.js";
import { Logbook } from "./logbook.js";
import { Nodes } from "./nodes.js";
import { Now } from "./now.js";
import { Roster } from "./roster.js";
import { Screens } from "./screens.js";
import { Tiles } from "./tiles.js";
import { Tokens } from "./tokens.js";

/*
 * The operator's desk: all sessions, and one of them in full. This file passes the server's messages to
 * the parts that show them.
 */

/** With more sessions than this, the page does not ask for beats. */
const manySessions = 50;
const withBeats = { session: "*", topics: "changes,beats,refusals,stuck" };
const withoutBeats = { session: "*", topics: "changes,refusals,stuck" };

/** What all parts of the desk know of the daemon and of the connection to it. */
const room = {
    rights: new Rights(),
    instance: null,
    /** The identity of this page, such as `token:desk`; undefined without one. */
    name: undefined,
    pos: 0,
    isVirtual: false,
    isLost: true,
    /** Whether the stream is without beats. */
    isWithoutBeats: false,
    /** The names of the Bluetooth devices, by their addresses. */
    names: new Map(),
};
const present = new Present(show);
const logbook = new Logbook();
const chosen = new Chosen(choose);
const bar = new Bar(signOut);
const banner = new Banner();
const clock = new DeskClock();
const roster = new Roster(chosen, room);
const tiles = new Tiles(room, roster.overview, (name) => chosen.pick(name));
const now = new Now(present, logbook, room, clock);
const diagram = new Diagram(present, logbook);
const log = new LogView(logbook, room);
const devices = new Devices(room, clock, () => log.renew());
const connections = new Connections(room);
const tokens = new Tokens(room);
const nodes = new Nodes(room);
const screens = new Screens(room, chosen, () => tokens.start());
/** The parts that ask the daemon repeatedly while there is a connection. */
const polled = [devices, connections, screens, tokens, nodes];
const signIn = new SignIn(start);
const stream = new Stream(withBeats, { event: handle, lost, denied });

logbook.onChange(() => {
    log.show();
    now.showSince();
    diagram.highlight();
});
one("#roster").addEventListener("click", ({ target }) => {
    if (target.closest("a")) tiles.hide();
});
onMissingRights(readRights);
onOtherTabChange(readRights);
signIn.begin();

/** Reads the page's rights again and shows them in the bar. */
function readRights() {
    if (signIn.isShown) start();
    else stream.reconnect();
}

function start() {
    room.instance = null;
    bar.connecting();
    stream.start();
}

async function signOut() {
    stream.stop();
    for (const part of polled) part.stop();
    banner.hide();
    const isOut = await login("").then(() => true, () => false);
    signIn.show(isOut ? "" : "gamed does not answer: it does not know that you left.");
}

function denied({ status }) {
    for (const part of polled) part.stop();
    banner.hide();
    signIn.deny(status, room.instance !== null);
}

function lost() {
    room.isLost = true;
    for (const part of polled) part.stop();
    present.stop();
    logbook.cancelRefill();
    signIn.hide();
    banner.lost();
    bar.lost();
    setLinked(false);
    show();
}

function setLinked(isLinked) {
    document.body.classList.toggle("stale", !isLinked);
    for (const part of document.querySelectorAll(".live")) part.disabled = !isLinked;
}

const handlers = { snapshot, change, beat, refused, stuck, gap, clock: clockMoved, overrun() {} };

function handle(type, data) {
    handlers[type]?.(data);
}

function snapshot(data) {
    const isNew = data.instance !== room.instance;
    const isVirtual = data.clock === "virtual";
    const { instance, pos } = data;
    const rights = new Rights(data.rights);
    Object.assign(room, { rights, instance, pos, isVirtual, isLost: false, name: data.name });
    if (isNew) {
        logbook.clear();
        forgetFlows();
    }
    signIn.hide();
    banner.open();
    bar.open(data.name, data.role);
    clock.set(isVirtual, data.nowMs, rights.hasEverywhere("operate"));
    setLinked(true);
    for (const part of polled) part.start(isNew);
    roster.take(data);
    tiles.take(data);
    if (chosen.name === null) chosen.begin(roster.first());
    else refreshChosen(data.sessions);
    if (data.sessions.length > manySessions || data.more) stopBeats();
}

/** With many sessions, beats would be too frequent to show. */
function stopBeats() {
    if (room.isWithoutBeats) return;
    room.isWithoutBeats = true;
    stream.setQuery(withoutBeats);
}

/** Shows the sessions of a snapshot after a connection, and fills the log with missed changes. */
function refreshChosen(sessions) {
    present.follow(chosen.name, sessions.find((session) => session.session === chosen.name));
    logbook.fill(chosen.name);
}

function choose(name) {
    tiles.hide();
    logbook.clear();
    now.forget();
    roster.markChosen(name);
    present.follow(name);
    logbook.fill(name);
    screens.start();
}

function change(data) {
    clock.advanceTo(data.atMs);
    if (data.session === chosen.name) logbook.add(data);
    // A missed change follows the snapshot that already contains it.
    if (data.pos <= room.pos) return;
    room.pos = data.pos;
    devices.heard(data.source);
    roster.change(data);
    tiles.change(data);
    if (data.session !== chosen.name) return;
    present.change(data);
    screens.soon();
    if (data.to && data.to.state !== data.from?.state) announce(`Now ${present.titles.spokenState(data.to.state)}`);
    if (data.kind === "close") announce(`Session ${data.session} is closed`);
}

function beat(data) {
    clock.advanceTo(data.atMs);
    if (data.session !== chosen.name) return;
    if (data.event) now.beat(data.event.name);
    present.beat(data);
}

function refused(data) {
    clock.advanceTo(data.atMs);
    devices.heard(data.source);
    if (data.session === chosen.name) logbook.add({ ...data, kind: "refused" });
}

/** A session stays in its state longer than usual. */
function stuck({ session, atMs }) {
    clock.advanceTo(atMs);
    roster.stuck(session);
}

function gap(data) {
    room.pos = data.pos;
    roster.take(data);
    tiles.take(data);
    refreshChosen(data.sessions);
}

function clockMoved(data) {
    clock.advanceTo(data.nowMs);
    devices.soon();
    tiles.clockMoved();
    if (chosen.name !== null) present.ask();
}

function show() {
    now.show();
    diagram.show();
}
