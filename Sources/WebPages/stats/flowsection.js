import { at, freshId, h } from "../shared/dom.js";
import { durationTexts } from "./times.js";

/**
 * The section of one flow. `figures` is the flow's element in the result of the method `stats`; `titles` are the titles of the
 * flow's newest version.
 */
export function flowSection(figures, titles, refusalsRecorded) {
    const id = freshId("flow");
    const title = titles.flow(figures.flow);
    const heading = h("h2", { id }, title);
    if (title !== figures.flow) heading.append(" ", h("code", {}, figures.flow));
    const count = h("p", { class: "count" }, figures.games === 1 ? "1 game" : `${figures.games} games`);
    return h(
        "section",
        { "aria-labelledby": id, "data-flow": figures.flow },
        h("header", {}, heading, count),
        outcomeList(figures, titles),
        factList(figures, refusalsRecorded),
        stateTable(figures.states, titles),
        h("p", { class: "help" }, h("a", { href: leaderboardPath(figures.flow) }, "Leaderboard")),
    );
}

function leaderboardPath(flow) {
    return at(`leaderboard/${encodeURIComponent(flow)}`);
}

/** How the games ended: for each outcome a bar that shows its share of the games. */
function outcomeList({ games, outcomes, unfinished, running }, titles) {
    const rows = outcomes.map((outcome) => [titles.state(outcome.state), outcome.games]);
    rows.push(["Unfinished", unfinished], ["Running", running]);
    const list = h("ul", { class: "outcomes" });
    for (const [name, count] of rows.filter(([, count]) => count > 0)) {
        const bar = h("meter", { min: 0, max: games, value: count, "aria-label": name });
        list.append(h("li", {}, h("span", { class: "name" }, name), bar, h("b", {}, String(count))));
    }
    return list;
}

/** Hints, operators' overrides (interventions by `goto`, `timer` and `undo`), refusals and versions. */
function factList({ overrides, hints, refusals, versions }, refusalsRecorded) {
    const { goto, timer, undo } = overrides;
    const list = h("dl", { class: "facts" });
    const add = (name, text) => list.append(h("div", {}, h("dt", {}, name), h("dd", {}, text)));
    add("Hints", String(hints));
    add("Overrides", `${goto} goto, ${timer} timer, ${undo} undo`);
    add("Refusals", refusalsRecorded ? String(refusals) : "not recorded");
    if (versions.length > 1) add("Versions", versions.join(", "));
    return list;
}

/** How long the games stayed in each state: the median, and the time that 90 % of the visits did not exceed. */
function stateTable(rows, titles) {
    if (rows.length === 0) return h("p", { class: "help" }, "No visit of a state is over yet.");
    const head = ["State", "Visits", "Median", "90 %"].map((text) => h("th", { scope: "col" }, text));
    const times = durationTexts(rows.flatMap(({ medianMs, p90Ms }) => [medianMs, p90Ms]));
    const body = rows.map(({ state, visits }, index) =>
        h(
            "tr",
            { "data-state": state },
            h("th", { scope: "row", title: state }, titles.state(state)),
            ...[String(visits), times[2 * index], times[2 * index + 1]].map((text) => h("td", {}, text)),
        ),
    );
    const caption = h("caption", { class: "visually-hidden" }, "Time in each state");
    return h("table", {}, caption, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body));
}
