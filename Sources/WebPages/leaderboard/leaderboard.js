import { onOtherTabSignIn } from "../shared/credential.js";
import { find, h, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/flows.js";
import { errorSentence } from "../shared/refusal.js";
import { call, NoAnswer } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { humanised } from "../shared/words.js";
import { score } from "./score.js";

/*
 * The best games of a flow, for an audience. The page's address is `/leaderboard/FLOW`, and after `?` the parameters
 * of the method `leaderboard`. The rows are read again every few seconds.
 */

const refreshMs = 5_000;
/** The first answer may take minutes, because the daemon reads a large journal from its beginning. */
const timeoutMs = 300_000;
const parameterNames = ["by", "state", "during", "since", "without"];
const flow = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const query = new URLSearchParams(location.search);
const params = Object.fromEntries(parameterNames.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
const note = find("#note");
let result = null;
let timer = 0;

const signIn = new SignIn(read);
onOtherTabSignIn(read);
document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !signIn.isShown) read();
});
signIn.begin();

async function read() {
    clearTimeout(timer);
    try {
        result = await call("leaderboard", { flow, ...params }, timeoutMs);
        signIn.hide();
        show();
    } catch (error) {
        if (signIn.handleDenial(error, result !== null)) return;
        signIn.hide();
        // The old rows stay. The reason is shown only if there are no rows yet.
        const text = error instanceof NoAnswer ? "Waiting for the connection." : `${errorSentence(error)}.`;
        if (result === null) setText(note, text);
    }
    clearTimeout(timer);
    timer = setTimeout(read, refreshMs);
}

function show() {
    const titles = titlesOfNewestVersion(flow, show);
    const title = titles.flow(flow);
    document.title = title;
    setText(find("#title"), title === flow ? humanised(flow) : title);
    setText(find("#criterion"), heading(titles));
    setText(note, result.rows.length === 0 ? "No game is over yet." : "");
    find("#page").style.setProperty("--rows", String(Math.max(6, result.rows.length)));
    // Unchanged rows are not drawn again, because a screen reader would read them again.
    const list = find("#rows");
    const text = JSON.stringify(result.rows);
    if (list.dataset.drawn === text) return;
    list.dataset.drawn = text;
    setChildren(list, result.rows.map(row));
}

/** The criterion by which the games are ordered: "Best times", the title of a datum, or its name as words. */
function heading(titles) {
    if (result.by === "time") return "Best times";
    const datumTitle = titles.states.map(({ name }) => titles.datum(name, result.by)).find(Boolean);
    return datumTitle ?? humanised(result.by.replace(/Ms$/, ""));
}

function row({ rank, name, title: sessionTitle, value, time }) {
    // A game without a name shows its session's title, or else the time at which it ended.
    const label = name ?? sessionTitle ?? new Date(time).toLocaleTimeString([], { timeStyle: "short" });
    const line = h("li", { value: rank });
    line.append(
        h("span", { class: "rank" }, String(rank)),
        h("b", { class: "name" }, label),
        h("span", { class: "value" }, score(value, result.by)),
    );
    return line;
}
