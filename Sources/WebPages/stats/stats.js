import { announce } from "../shared/announce.js";
import { onOtherTabSignIn } from "../shared/credential.js";
import { find, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/flows.js";
import { errorSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { makeThemeSwitch } from "../shared/theme.js";
import { Choice } from "./choice.js";
import { flowSection } from "./flowsection.js";

/*
 * The statistics of the games that the journal contains, for operators. `gamectl stats` prints the same.
 */

/** An answer may take minutes, because the daemon reads a large journal from its beginning. */
const timeoutMs = 300_000;
const choice = new Choice(find("#choice"), read);
const message = find("#message");
let result = null;
/** The number of the newest request: answers to earlier ones are not shown. */
let newestRead = 0;

makeThemeSwitch(find("#theme"));
const signIn = new SignIn(start);
onOtherTabSignIn(start);
signIn.begin();

async function start() {
    try {
        const { flows } = await call("hello");
        choice.offer(flows);
        await read();
    } catch (error) {
        showError(error);
    }
}

async function read() {
    newestRead += 1;
    const thisRead = newestRead;
    choice.isBusy = true;
    try {
        const answer = await call("stats", choice.params, timeoutMs);
        if (thisRead !== newestRead) return;
        result = answer;
        signIn.hide();
        setText(message, "");
        show();
        const games = result.flows.reduce((sum, { games }) => sum + games, 0);
        announce(games === 1 ? "1 game" : `${games} games`);
    } catch (error) {
        if (thisRead === newestRead) showError(error);
    } finally {
        if (thisRead === newestRead) choice.isBusy = false;
    }
}

/** If the rights are missing, the page asks for a token. The text of any other error is shown above the old figures. */
function showError(error) {
    if (signIn.handleDenial(error, result !== null)) return;
    signIn.hide();
    setText(message, `${errorSentence(error)}.`);
}

function show() {
    const { flows, refusalsRecorded } = result;
    const sections = flows.map((flow) => flowSection(flow, titlesOfNewestVersion(flow.flow, show), refusalsRecorded));
    if (sections.length === 0) {
        const empty = document.createElement("p");
        empty.className = "help";
        setText(empty, "No games.");
        sections.push(empty);
    }
    setChildren(find("#flows"), sections);
}
