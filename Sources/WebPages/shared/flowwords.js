import { own } from "./ownwords.js";
import { humanised, inWords, spoken } from "./words.js";

/* Words for the timers and arguments of the shipped flows. For other flows, the words are made from the names. */

/** The labels of running countdowns, by the signals that they send. */
const countdownLabels = () => ({
    abandoned: own`Time to resume`,
    answerTimedOut: own`Time to answer`,
    helpTimedOut: own`Help closes in`,
    hydrateTimedOut: own`Time to load`,
    idle: own`Goes on in`,
    launchTimedOut: own`Time to launch`,
    loaderTimedOut: own`Time to load`,
    loginTimedOut: own`Time to log in`,
    next: own`Goes on in`,
    promptTimedOut: own`Time to answer`,
    sessionExpired: own`Time to finish`,
    timeUp: own`Time left`,
});

/**
 * The name of a running timer. A countdown's signal, such as `answerTimedOut`, is not yet true while the countdown runs, so
 * the page shows other words.
 */
export function timerName({ fires, kind }) {
    if (kind !== "countdown") return humanised(fires);
    const labels = countdownLabels();
    if (Object.hasOwn(labels, fires)) return labels[fires];
    const [, stem] = /^(.+?)(TimedOut|Expired|Elapsed)$/.exec(fires) ?? [];
    return stem === undefined ? own`Until “${spoken(fires)}”` : own`Time for ${spoken(stem)}`;
}

/** Whether the labels above have one for a timer. */
export function isNamedTimer({ fires, kind }) {
    return kind === "countdown" && Object.hasOwn(countdownLabels(), fires);
}

/** The texts of the buttons for true and false, by the name of the argument. */
const booleanTexts = () => ({ correct: [own`Right`, own`Wrong`] });

/** An argument with more values has a field. */
const maximumChoices = 6;

/**
 * The text and the value of each button for an event whose only argument is a boolean, or has few values. Null if the argument
 * is optional, and for any other event.
 */
export function choicesOf({ args }) {
    if (args.length !== 1 || args[0].optional) return null;
    const { name, type, values } = args[0];
    if (values?.length <= maximumChoices) return values.map((value) => [inWords(value, values), value]);
    if (type !== "boolean") return null;
    const texts = booleanTexts();
    const [yes, no] = Object.hasOwn(texts, name) ? texts[name] : [own`Yes`, own`No`];
    return [[yes, true], [no, false]];
}
