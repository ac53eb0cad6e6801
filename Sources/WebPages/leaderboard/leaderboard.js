import { onOtherTabSignIn } from "../shared/credential.js";
import { find, h, ownPath, setChildren, setText } from "../shared/dom.js";
import { titlesOfNewestVersion } from "../shared/newesttitles.js";
import { closedSentence } from "../shared/refusal.js";
import { call, NoAnswer } from "../shared/rpc.js";
import { SignIn } from "../shared/signin.js";
import { humanised } from "../shared/words.js";
import { scoreText } from "./score.js";

/*
 * The best games of a flow, for an audience. The page's address is `/leaderboard/FLOW`, and after `?` the parameters
 * of the method `leaderboard`. The rows are read again every few seconds.
 */

const refreshMs = 5_000;
/** The first answer may take minutes, because the daemon reads a large journal from its beginning. */
const timeoutMs = 300_000;
/** With fewer rows than this, each row is as high as with this number of rows. */
const minimumRowCount = 6;
const parameterNames = ["by", "state", "during", "since", "without"];
const flow = decodeURIComponent(ownPath[1] ?? "");
const query = new URLSearchParams(location.search);
const params = Object.fromEntries(parameterNames.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
const note = find("#note");
/** The newest answer; null before the first. Its member `by` is the criterion: "time" or the name of a datum. */
let result = null;
let refreshTimer = 0;

const signIn = new SignIn(read);
onOtherTabSignIn(read);
document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !signIn.isShown) read();
});
signIn.begin();

/** Reads and shows the rows, and sets the timer for the next reading. */
async function read() {
    clearTimeout(refreshTimer);
    try {
        result = await call("leaderboard", { flow, ...params }, timeoutMs);
        signIn.hide();
        show();
    } catch (error) {
        const hasRows = result !== null;
        if (signIn.handleDenial(error, hasRows)) return;
        signIn.hide();
        // The old rows stay. The reason is shown only if there are no rows yet.
        const text = error instanceof NoAnswer ? "Waiting for the connection." : closedSentence(error);
        if (!hasRows) setText(note, text);
    }
    // Another reading may have run at the same time, and may have set the timer.
    clearTimeout(refreshTimer);
    refreshTimer = setTimeout(read, refreshMs);
}

function show() {
    const titles = titlesOfNewestVersion(flow, show);
    const title = titles.flow(flow);
    document.title = title === flow ? humanised(flow) : title;
    setText(find("#title"), document.title);
    setText(find("#criterion"), criterionText());
    setText(note, result.rows.length === 0 ? "No game is over yet." : "");
    find("#page").style.setProperty("--row-count", String(Math.max(minimumRowCount, result.rows.length)));
    // Unchanged rows are not drawn again, because a screen reader would read them aloud again.
    const list = find("#rows");
    const rowsText = JSON.stringify(result.rows);
    if (list.dataset.drawnRows === rowsText) return;
    list.dataset.drawnRows = rowsText;
    setChildren(list, result.rows.map(row));
}

/** The text for the criterion: "Best times", the title of the datum, or the datum's name as words. */
function criterionText() {
    if (result.by === "time") return "Best times";
    return result.title ?? humanised(result.by.replace(/Ms$/, ""));
}

function row({ rank, name, title: sessionTitle, value, time }) {
    // A game without a name shows its session's title; without a title, the time at which the game ended.
    const label = name ?? sessionTitle ?? new Date(time).toLocaleTimeString([], { timeStyle: "short" });
    const line = h("li", { value: rank });
    line.append(
        h("span", { class: "rank" }, String(rank)),
        h("b", { class: "name" }, label),
        h("span", { class: "value" }, scoreText(value, result.by)),
    );
    return line;
}
