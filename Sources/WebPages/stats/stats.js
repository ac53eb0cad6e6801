import { announce } from "../shared/announce.js";
import { onOtherTabs } from "../shared/credential.js";
import { fill, one, say } from "../shared/dom.js";
import { newestTitles } from "../shared/flows.js";
import { sentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { makeSwitch } from "../shared/theme.js";
import { Choice } from "./choice.js";
import { flowSection } from "./flowsection.js";

/** The games that the journal contains, for operators: what `gamectl stats` prints. */

/** A large journal is read from its beginning. */
const patienceMs = 300_000;
const choice = new Choice(one("#choice"), read);
const message = one("#message");
let result = null;
let turn = 0;

makeSwitch(one("#theme"));
const signIn = new SignIn(start);
onOtherTabs(start);
signIn.begin();

async function start() {
    try {
        const { flows } = await call("hello");
        choice.offer(flows);
        await read();
    } catch (error) {
        refuse(error);
    }
}

async function read() {
    turn += 1;
    const mine = turn;
    choice.isBusy = true;
    try {
        const answer = await call("stats", choice.params, patienceMs);
        if (mine !== turn) return;
        result = answer;
        signIn.hide();
        say(message, "");
        show();
        const games = result.flows.reduce((sum, { games }) => sum + games, 0);
        announce(games === 1 ? "1 game" : `${games} games`);
    } catch (error) {
        if (mine === turn) refuse(error);
    } finally {
        if (mine === turn) choice.isBusy = false;
    }
}

/** Without the rights the page asks for a token; anything else is said above the old figures. */
function refuse(error) {
    if (signIn.takes(error, result !== null)) return;
    signIn.hide();
    say(message, `${sentence(error)}.`);
}

function show() {
    const { flows, refusalsRecorded } = result;
    const sections = flows.map((flow) => flowSection(flow, newestTitles(flow.flow, show), refusalsRecorded));
    if (sections.length === 0) {
        const empty = document.createElement("p");
        empty.className = "help";
        say(empty, "No games.");
        sections.push(empty);
    }
    fill(one("#flows"), sections);
}
