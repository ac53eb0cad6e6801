import { announce } from "../shared/announce.js";
import { onOtherTabSignIn } from "../shared/credential.js";
import { find, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/newesttitles.js";
import { closedSentence } from "../shared/refusal.js";
import { call } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { makeThemeSwitch } from "../shared/theme.js";
import { Choice } from "./choice.js";
import { flowSection } from "./flowsection.js";

/* The page `/stats`: statistics of the games in the journal, for operators. `gamectl stats` prints the same statistics. */

/** An answer may take minutes, because the daemon reads a large journal from its beginning. */
const timeoutMs = 300_000;
const choice = new Choice(find("#choice"), read);
const message = find("#message");
/** The newest answer to `stats`; null before the first answer. */
let result = null;
/** Counts the requests, so that only the answer to the newest request is shown. */
let requestCount = 0;

makeThemeSwitch(find("#theme"));
const signIn = new SignIn(start);
onOtherTabSignIn(start);
signIn.begin();

/** Reads the flows and the figures. Called when the page may have new rights: after loading or a sign-in. */
async function start() {
    try {
        const { flows } = await call("hello");
        choice.offerFlows(flows);
        await read();
    } catch (error) {
        showError(error);
    }
}

async function read() {
    requestCount += 1;
    const number = requestCount;
    choice.isBusy = true;
    try {
        const answer = await call("stats", choice.params, timeoutMs);
        if (number !== requestCount) return;
        result = answer;
        signIn.hide();
        setText(message, "");
        show();
        const games = result.flows.reduce((sum, { games }) => sum + games, 0);
        announce(games === 1 ? "1 game" : `${games} games`);
    } catch (error) {
        if (number === requestCount) showError(error);
    } finally {
        if (number === requestCount) choice.isBusy = false;
    }
}

/** If the rights are missing, the page asks for a token. The text of any other error is shown above the old figures. */
function showError(error) {
    const wasSignedIn = result !== null;
    if (signIn.handleDenial(error, wasSignedIn)) return;
    signIn.hide();
    setText(message, closedSentence(error));
}

function show() {
    const { flows, refusalsRecorded } = result;
    const sections = flows.map((figures) =>
        flowSection(figures, titlesOfNewestVersion(figures.flow, show), refusalsRecorded),
    );
    if (sections.length === 0) {
        const empty = document.createElement("p");
        empty.className = "help";
        setText(empty, "No games.");
        sections.push(empty);
    }
    setChildren(find("#flows"), sections);
}
