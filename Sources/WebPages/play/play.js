import { announce } from "../shared/announce.js";
import { DaemonClock } from "../shared/daemonclock.js";
import { onOtherTabSignIn } from "../shared/credential.js";
import { forgetFlows, readIn } from "../shared/flows.js";
import { lazily } from "../shared/lazily.js";
import { own, speak } from "../shared/ownwords.js";
import { PresentSession } from "../shared/presentsession.js";
import { NoAnswer, onMissingRights } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { Rights } from "../shared/rights.js";
import { addStyles, find, ownPath } from "../shared/dom.js";
import { Stream } from "../shared/stream.js";
import { Board } from "./board.js";
import { playEffect } from "./media.js";
import { noAnswerMessage, Notice } from "./notice.js";
import { Screen } from "./screen.js";
import { keepAwake } from "./wake.js";

/* The players' page of one session: passes the server's events to the parts that show them. */

const retryMs = 2_000;
const name = decodeURIComponent(ownPath[1] ?? "");
const options = new URLSearchParams(location.search);
/** The languages of this screen. */
const languages = options.getAll("language");
/** An overlay lies over a video. */
const isOverlay = ownPath[0] === "overlay";
/** A wall has no controls, because nobody can touch it. An overlay is a wall. */
const isWall = isOverlay || options.get("screen") === "wall";
/**
 * What the parts share. `pos` is the position of the newest change that the page shows. `wasOpen` is true if the page has
 * shown the session before. `isSilent`: the page plays no sounds.
 */
const context = { rights: new Rights(), pos: 0, instance: null, wasOpen: false, isSilent: isOverlay };
const clock = new DaemonClock();
const notice = new Notice();
const screen = new Screen(name);
const presentSession = new PresentSession(show);
const onRefusal = (error, sent) => showRefusal(error, clock.nowMs, sent);
const board = new Board(presentSession, context, clock, isWall ? null : onRefusal);
const signIn = new SignIn(start);
const query = { session: name, topics: "changes,beats,refusals", view: "players" };
if (isWall && !isOverlay) query.screen = "wall";
const stream = new Stream(query, { event: handle, lost, denied });

/** The sounds of effects. */
const loadSounds = lazily(() => import("./sounds.js").then(({ Sounds }) => new Sounds()));
/** Whether the flow has played a sound, so that later changes may end it. */
let hasSounds = false;
/** The words for refusals. They are loaded soon after the page, so that they are there when the connection is lost. */
const loadWords = lazily(() => import("./playermessage.js"));
const wordsDelayMs = 1_000;
const loadOverlay = lazily(() => import("./overlay.js").then(({ Overlay }) => new Overlay(options.get("page"))));

document.title = name;
readIn(languages);
if (isWall) showOnWall();
keepAwake(!isWall);
onMissingRights(readRights);
onOtherTabSignIn(readRights);
speakTo().then(() => signIn.begin());

/** Connects again, because each connection begins with the page's rights. */
function readRights() {
    if (signIn.isShown) start();
    else stream.reconnect();
}

function showOnWall() {
    addStyles(new URL("./wall.css", import.meta.url));
    for (const selector of ["#board", "#screen"]) find(selector).classList.add("wall");
}

function start() {
    stream.start();
}

/** The server has refused the stream, with 401 or 403. */
function denied({ status }) {
    screen.hide();
    signIn.deny(status, context.wasOpen);
}

/** Shows that there is no connection, or no session. */
function lost({ status, error }) {
    signIn.hide();
    presentSession.stop();
    board.freeze();
    if (status === 404 || error?.message === "unknownSession") waitForSession();
    else if (error) showProblem();
    else screen.connectionLost();
}

/** The page speaks the language of the screen, otherwise that of the session, otherwise that of the browser. */
function speakTo(session) {
    return speak([...languages, session?.language, ...navigator.languages]);
}

/** The daemon refuses to show the session. */
function showProblem() {
    screen.show(own`Please wait`, own`The game cannot be shown now.`);
}

function waitForSession() {
    endSounds();
    board.hide();
    if (context.wasOpen) screen.show(own`Closed`, own`It starts here when the host opens it again.`);
    else screen.show(own`Not open yet`, own`It starts here as soon as the host opens it.`);
}

/** The functions that handle the server's events, by type. After `overrun` the stream connects again. */
const handlers = { snapshot, change, beat, refused, gap, wall, clock: clockMoved, overrun() {} };

function handle(type, data) {
    handlers[type]?.(data);
    if (isOverlay) loadOverlay().then((overlay) => overlay?.pass(type, data));
}

function snapshot(data) {
    if (data.instance !== context.instance) forgetFlows();
    const rights = new Rights(data.rights);
    // The server says after the snapshot if there is a wall.
    Object.assign(context, { rights, pos: data.pos, instance: data.instance, isSilent: isOverlay });
    clock.set(data.clock === "virtual", data.nowMs);
    signIn.hide();
    const session = data.sessions.find((session) => session.session === name);
    if (session) {
        // Before the titles of the flow arrive.
        board.applyTheme(session.flow);
        endSounds(session);
        presentSession.follow(name, session);
    } else {
        waitForSession();
        setTimeout(start, retryMs);
    }
}

/** Sounds and videos are played on the wall, if there is one. */
function wall({ connected }) {
    if (isWall) return;
    context.isSilent = connected;
    if (connected && hasSounds) loadSounds().then((sounds) => sounds?.stop());
}

function change(data) {
    clock.advanceTo(data.atMs);
    if (data.session !== name) return;
    const isOld = data.pos <= context.pos;
    applySounds(data, isOld);
    if (isOld) return;
    context.pos = data.pos;
    presentSession.applyChange(data);
    notice.clear();
    // The watch ends with the session. The page connects again to see a later session of this name.
    if (data.kind === "close") return start();
    if (data.to.state === data.from?.state) return;
    const { titles } = presentSession;
    const { title } = titles.screenOf({ state: data.to.state, show: data.show });
    announce(own`Now ${title ?? titles.spokenState(data.to.state)}`);
}

/**
 * Plays and ends the sounds of effects. The first effect that plays one loads the part that does so. A change that was missed
 * only ends sounds.
 */
async function applySounds(change, wasMissed) {
    hasSounds ||= change.effects?.some(({ name }) => name === playEffect) === true;
    if (hasSounds && !context.isSilent) (await loadSounds())?.apply(change, wasMissed);
}

/** Ends the sounds that do not belong to a session, which the server has sent whole; undefined if it is closed. */
async function endSounds(session) {
    if (hasSounds) (await loadSounds())?.keep(session);
}

function beat(data) {
    clock.advanceTo(data.atMs);
    if (data.session !== name) return;
    if (data.event) board.beat(data.event.name);
    presentSession.applyBeat(data);
}

/**
 * Shows why an event from a device or a program, such as a button box, was refused. The refused event of a timer is not shown.
 * The refused event of a page is shown by that page, from the reply.
 */
function refused(data) {
    clock.advanceTo(data.atMs);
    const isFromPageOrTimer = data.source.kind === "web" || data.source.kind === "timer";
    // Wrong arguments and missing rights do not concern players.
    const isForPlayers = ["noTransition", "stale", "finished"].includes(data.error.message);
    // The event is null if the flow hides it from players.
    if (data.session !== name || data.event === null || isFromPageOrTimer || !isForPlayers) return;
    showRefusal(data.error, data.atMs, data.event);
}

/** Shows why the event `sent` was refused, or that no answer came. */
async function showRefusal(error, atMs, sent) {
    if (error instanceof NoAnswer) return notice.show(noAnswerMessage(error));
    const { titles } = presentSession;
    const words = await loadWords();
    const message = words?.playerMessage(error, atMs, sent, titles);
    notice.show(message ?? { title: own`Not possible`, text: own`Please try again.` });
}

/**
 * Changes were missed. `data` is one session in its present state, or an object whose member `sessions` is a list of sessions.
 */
function gap(data) {
    const session = data.sessions?.find((session) => session.session === name) ?? data;
    if (data.pos !== undefined) context.pos = data.pos;
    if (session.session !== name) return;
    endSounds(session);
    presentSession.follow(name, session);
}

/** The virtual clock has advanced. */
function clockMoved(data) {
    clock.advanceTo(data.nowMs);
    if (presentSession.name !== null) presentSession.requestStatus();
}

async function show() {
    await speakTo(presentSession.session);
    if (presentSession.problem?.message === "unknownSession" || presentSession.isClosed) return waitForSession();
    if (presentSession.problem) return showProblem();
    if (!context.wasOpen) setTimeout(loadWords, wordsDelayMs);
    context.wasOpen = true;
    screen.hide();
    board.show();
}
