import { own } from "../shared/ownwords.js";
import { NoAnswer } from "../shared/rpc.js";
import { durationText } from "../shared/time.js";
import { Titles } from "../shared/titles.js";
import { humanised, spoken } from "../shared/words.js";
import { noAnswerMessage } from "./notice.js";

/* Refusals in the words of players: without names of the flow that have a title, and without senders. */

/**
 * A refusal as a title and a text for a player, without the senders that only operators see. `sent` is the refused event with
 * its arguments; `titles` are the titles of the session's flow.
 */
export function playerMessage(error, nowMs, sent = {}, titles = new Titles()) {
    if (error instanceof NoAnswer) return noAnswerMessage(error);
    const { state, last, why, argument, ageMs, ofFlow } = error.data ?? {};
    const event = error.data?.event ?? sent.name;
    switch (error.message) {
        case "noTransition":
            if (isRecent(last, nowMs)) return { title: tooLateText(last, sent, titles), text: "" };
            return {
                title: own`Not now`,
                text: own`${titles.state(state)}: ${titles.event(event)} is not possible.`,
            };
        case "stale":
            if (ageMs === undefined) return { title: own`Too late`, text: own`The state has changed.` };
            return { title: own`Too late`, text: own`That event arrived after ${durationText(ageMs)}.` };
        case "finished":
            return { title: own`It is over`, text: own`No more events are accepted.` };
        case "forbidden":
            return { title: own`Not possible`, text: own`This screen may not do that.` };
        case "invalid":
            if (sent.args?.[argument] === "") return missingMessage(argument, titles.argument(event, argument));
            return {
                title: own`Not possible`,
                text: ofFlow ? asSentence(why) : own`${argumentName(titles, event, argument)}: ${why}.`,
            };
        default:
            return { title: own`Not possible`, text: own`Please tell the host.` };
    }
}

function asSentence(text) {
    const sentence = text.replace(/^./u, (c) => c.toUpperCase());
    return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

function argumentName(titles, event, argument) {
    return titles.argument(event, argument) ?? humanised(argument ?? "");
}

function missingMessage(argument, title) {
    const name = title ?? (argument === "player" ? own`your name` : spoken(argument));
    return { title: own`Please type ${name}.`, text: "" };
}

const recentMs = 3_000;

/** Whether an event has made the session's newest change, `last`, a moment ago: the refused event then came too late. */
function isRecent(last, nowMs) {
    return Boolean(last?.event) && nowMs - last.atMs <= recentMs;
}

/**
 * Says that an event came too late, and what was first. Names the player of each of the two events that has the argument
 * `player`, as the events of buzzers do.
 */
function tooLateText(last, sent, titles) {
    const late = playerOf(sent, titles);
    const first = whatWasFirst(last, titles);
    const sentence = late === null ? own`Too late` : own`${late} was too late`;
    return own`${sentence}: ${first}.`;
}

function whatWasFirst(last, titles) {
    if (last.source?.kind === "timer") return own`the time was up`;
    const first = playerOf({ name: last.event, args: last.args }, titles);
    return first === null ? alreadyHappened(last.event, titles.event(last.event)) : own`${first} was first`;
}

function playerOf({ name, args }, titles) {
    const isNamed = typeof args?.player === "string" && args.player !== "";
    return isNamed ? titles.argumentInWords(name, "player", args.player) : null;
}

/** What an event has done, by the event's name. */
const outcomes = () => ({ judge: own`the answer was already judged` });

/**
 * The text for a player whose event came too late. It says what the earlier `event` has done. If this is not known, the text
 * contains the title of the earlier event.
 */
function alreadyHappened(event, title) {
    const texts = outcomes();
    return Object.hasOwn(texts, event) ? texts[event] : own`“${title}” came first`;
}
