import { announce } from "../shared/announce.js";
import { DaemonClock } from "../shared/daemonclock.js";
import { onOtherTabs } from "../shared/credential.js";
import { forgetFlows } from "../shared/flows.js";
import { Present } from "../shared/present.js";
import { brief, sentence } from "../shared/refusal.js";
import { onDoubt } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { Rights } from "../shared/rights.js";
import { Stream } from "../shared/stream.js";
import { Board } from "./board.js";
import { Notice } from "./notice.js";
import { Screen } from "./screen.js";
import { keepAwake } from "./wake.js";

/**
 * The players' screen: one session. This file passes the server's messages to the parts that show
 * them.
 */
const againMs = 2_000;
const name = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const room = { rights: new Rights(), pos: 0, instance: null, wasThere: false, isThemed: false };
const clock = new DaemonClock();
const notice = new Notice();
const screen = new Screen(name);
const present = new Present(show);
const board = new Board(present, room, clock, (error, sent) =>
    notice.tell(brief(error, clock.nowMs, sent, present.titles)),
);
const signIn = new SignIn(start);
const query = { session: name, topics: "changes,beats,refusals" };
const stream = new Stream(query, { event: take, lost, turnedAway });

document.title = name;
keepAwake();
onDoubt(readRights);
onOtherTabs(readRights);
signIn.begin();

/** Reads the page's rights again. */
function readRights() {
    if (signIn.isShown) start();
    else stream.renew();
}

function start() {
    stream.start();
}

function turnedAway({ status }) {
    screen.rest();
    signIn.turnedAway(status, room.wasThere);
}

/** Shows that there is no connection, or no session. */
function lost({ status, error }) {
    signIn.hide();
    present.rest();
    board.freeze();
    if (status === 404 || error?.message === "unknownSession") waitForIt();
    else if (error) screen.tell("Please wait", `${sentence(error)}.`);
    else screen.lost();
}

function waitForIt() {
    board.hide();
    if (room.wasThere) screen.tell("Closed", "It begins here when it is opened again.");
    else screen.tell("Not open yet", "It begins here as soon as it is opened.");
}

const takers = { snapshot, change, beat, refused, gap, clock: moved, overrun() {} };

function take(type, data) {
    takers[type]?.(data);
}

function snapshot(data) {
    if (data.instance !== room.instance) forgetFlows();
    const rights = new Rights(data.rights);
    Object.assign(room, { rights, pos: data.pos, instance: data.instance });
    clock.set(data.clock === "virtual", data.nowMs);
    signIn.hide();
    if (!room.isThemed) board.theme();
    room.isThemed = true;
    const session = data.sessions.find((each) => each.session === name);
    if (session) {
        present.follow(name, session);
    } else {
        waitForIt();
        setTimeout(start, againMs);
    }
}

function change(data) {
    clock.at(data.atMs);
    if (data.session !== name || data.pos <= room.pos) return;
    room.pos = data.pos;
    present.change(data);
    notice.rest();
    // A watch of a session by name ends with the session; another session with this name is not watched.
    if (data.kind === "close") return start();
    if (data.to.state !== data.from?.state) announce(`Now ${present.titles.spokenState(data.to.state)}`);
}

function beat(data) {
    clock.at(data.atMs);
    if (data.session !== name) return;
    if (data.event) board.beat(data.event.name);
    present.beat(data);
}

/**
 * Shows an event of a button box or a Bluetooth device that came too late. This page's own presses have
 * answers of their own.
 */
function refused(data) {
    clock.at(data.atMs);
    const isOurs = data.source.kind === "web" || data.source.kind === "timer";
    // Only late events are shown: refusals of an operator do not concern players, and pages without the right
    // to play show none.
    const isForPlayers = ["noTransition", "stale", "finished"].includes(data.error.message);
    if (data.session !== name || isOurs || !isForPlayers) return;
    notice.tell(brief(data.error, data.atMs, data.event, present.titles));
}

function gap(data) {
    const session = data.sessions?.find((each) => each.session === name) ?? data;
    if (data.pos !== undefined) room.pos = data.pos;
    if (session.session === name) present.follow(name, session);
}

function moved(data) {
    clock.at(data.nowMs);
    if (present.name !== null) present.ask();
}

function show() {
    if (present.problem?.message === "unknownSession" || present.isClosed) return waitForIt();
    if (present.problem) return screen.tell("Please wait", `${sentence(present.problem)}.`);
    room.wasThere = true;
    screen.rest();
    board.show();
}
