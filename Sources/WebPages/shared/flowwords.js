import { humanised, spoken } from "./words.js";

/**
 * Words for what the shipped flows call by the names of events, and a general form for all others.
 */

/** What a countdown is for, by the event that it sends at its end. */
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
 * The name of a running clock. The event at its end says what will have happened then ("answer timed
 * out"), which is not so while it runs.
 */
export function clockName({ fires, kind }) {
    if (kind !== "countdown") return humanised(fires);
    if (Object.hasOwn(countdowns, fires)) return countdowns[fires];
    const [, stem] = /^(.+?)(TimedOut|Expired|Elapsed)$/.exec(fires) ?? [];
    return stem === undefined ? `Until “${spoken(fires)}”` : `Time for ${spoken(stem)}`;
}

/** The two values of an argument that is true or false, true first. */
const answers = { correct: ["Right", "Wrong"] };

/**
 * The buttons for an event's one argument where that is true or false: texts and values. Null for
 * any other event.
 */
export function answersOf({ args }) {
    if (args.length !== 1 || args[0].optional || args[0].type !== "boolean") return null;
    const [yes, no] = Object.hasOwn(answers, args[0].name) ? answers[args[0].name] : ["Yes", "No"];
    return [[yes, true], [no, false]];
}

/** What had happened already when something came too late. */
const happened = { judge: "the answer was already judged" };

export function alreadyHappened(event, title = humanised(event)) {
    return Object.hasOwn(happened, event) ? happened[event] : `“${title}” came first`;
}
