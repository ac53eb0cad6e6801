import { humanised, spoken } from "./words.js";

/* Words for the timers and arguments of the shipped flows. For other flows, the words are made from the names. */

/** The labels of running countdowns, by the signals that they send. */
const countdownLabels = {
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
 * The name of a running timer. A countdown's signal, such as `answerTimedOut`, is not yet true while the countdown runs, so
 * the page shows other words.
 */
export function timerName({ fires, kind }) {
    if (kind !== "countdown") return humanised(fires);
    if (Object.hasOwn(countdownLabels, fires)) return countdownLabels[fires];
    const [, stem] = /^(.+?)(TimedOut|Expired|Elapsed)$/.exec(fires) ?? [];
    return stem === undefined ? `Until “${spoken(fires)}”` : `Time for ${spoken(stem)}`;
}

/** Whether the labels above have one for a timer. */
export function isNamedTimer({ fires, kind }) {
    return kind === "countdown" && Object.hasOwn(countdownLabels, fires);
}

/** The texts of the buttons for true and false, by the name of the argument. */
const booleanTexts = { correct: ["Right", "Wrong"] };

/** An argument with more values has a field. */
const maximumChoices = 6;

/**
 * The text and the value of each button for an event whose only argument is a boolean, or has few values. Null if the argument
 * is optional, and for any other event.
 */
export function choicesOf({ args }) {
    if (args.length !== 1 || args[0].optional) return null;
    const { name, type, values } = args[0];
    if (values?.length <= maximumChoices) return values.map((value) => [humanised(value), value]);
    if (type !== "boolean") return null;
    const [yes, no] = Object.hasOwn(booleanTexts, name) ? booleanTexts[name] : ["Yes", "No"];
    return [[yes, true], [no, false]];
}

/** What an event has done, by the event's name. */
const outcomes = { judge: "the answer was already judged" };

/**
 * The text for a player whose event came too late. It says what the earlier `event` has done. If this is not known, the text
 * contains the title of the earlier event.
 */
export function alreadyHappened(event, title = humanised(event)) {
    return Object.hasOwn(outcomes, event) ? outcomes[event] : `“${title}” came first`;
}
