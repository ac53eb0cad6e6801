import { humanised, spoken } from "./words.js";

/**
 * Words for the timers and answers of the shipped flows. For other flows, the words are made from the names.
 */

/** The label of a running countdown, by the event that it sends at its end. */
const countdowns = {
    abandoned: "Time to resume",
    answerTimedOut: "Time to answer",
    helpTimedOut: "Help closes in",
    hydrateTimedOut: "Time to load",
    idle: "Goes on in",
    launchTimedOut: "Time to launch",
    loaderTimedOut: "Time to load",
    loginTimedOut: "Time to log in",
    next: "Goes on in",
    promptTimedOut: "Time to answer",
    sessionExpired: "Time to finish",
    timeUp: "Time left",
};

/**
 * The name of a running timer. The event at its end is named for what has happened by then ("answer timed
 * out"), which is wrong while the timer runs.
 */
export function clockName({ fires, kind }) {
    if (kind !== "countdown") return humanised(fires);
    if (Object.hasOwn(countdowns, fires)) return countdowns[fires];
    const [, stem] = /^(.+?)(TimedOut|Expired|Elapsed)$/.exec(fires) ?? [];
    return stem === undefined ? `Until “${spoken(fires)}”` : `Time for ${spoken(stem)}`;
}

/** The texts of the two buttons for a boolean argument, by its name; the text for true is first. */
const booleanTexts = { correct: ["Right", "Wrong"] };

/**
 * The two buttons for an event whose only argument is true or false: texts and values. Null for
 * any other event.
 */
export function answersOf({ args }) {
    if (args.length !== 1 || args[0].optional || args[0].type !== "boolean") return null;
    const [yes, no] = Object.hasOwn(booleanTexts, args[0].name) ? booleanTexts[args[0].name] : ["Yes", "No"];
    return [[yes, true], [no, false]];
}

/** What has happened already, by the event that came first. */
const outcomes = { judge: "the answer was already judged" };

/** A text for a player whose event came too late: what the earlier `event` did or, if this is not known, its title. */
export function alreadyHappened(event, title = humanised(event)) {
    return Object.hasOwn(outcomes, event) ? outcomes[event] : `“${title}” came first`;
}
