import { alreadyHappened } from "./flowwords.js";
import { NoAnswer } from "./rpc.js";
import { Titles } from "./titles.js";
import { durationText } from "./time.js";
import { humanised, listed, senderText, spoken } from "./words.js";

/** A refusal or a missing answer as a sentence for operators, with the flow's names and not their titles. */
export function errorSentence(error) {
    if (error instanceof NoAnswer) return `no answer came; ${hintFor(error)}look in the log whether the request was executed`;
    const data = error.data ?? {};
    const sentenceFrom = sentences[error.message];
    return sentenceFrom ? sentenceFrom(data) : (data.why ?? error.message);
}

/** With HTTP/1.1 a browser has six connections. Each tab takes one, and then a request waits until its time is over. */
function hintFor({ cause }) {
    return cause?.name === "TimeoutError" ? "close other tabs of this browser, or " : "";
}

/** The functions that make a sentence from an error's data, by the error's name. */
const sentences = {
    noTransition(data) {
        // The event is null if the flow hides it from the user.
        const event = data.event ?? "the hidden event";
        const text = `${data.state} does not take ${event}; it accepts ${listed(data.accepts ?? [])}`;
        const first = firstSenderText(data.last);
        return first === "" ? text : `${text}; ${first}`;
    },
    invalid({ event, state, argument, why = "not allowed" }) {
        const subject = [event ?? state, argument].filter(Boolean).join(" ");
        return subject === "" ? why : `${subject}: ${why}`;
    },
    hookRefused: (data) => `${data.hook}: ${data.why}`,
    forbidden: (data) =>
        data.needs === "timer"
            ? `${data.event} may not come from ${data.source}, only from timer`
            : `${data.event ?? data.method} needs ${data.needs}, which no rule gives you here`,
    unknownSession: (data) => unknownText("session", data),
    unknownEvent: (data) => unknownText("event", data),
    unknownFlow: (data) => unknownText("flow", data),
    unknownState: (data) => unknownText("state", data),
    finished: (data) => `${data.state} is final; the session accepts no more events`,
    stale: (data) =>
        data.entry === undefined
            ? `the event is ${data.ageMs} ms old; the limit is ${data.limitMs} ms`
            : "another change came first: the session has entered a state meanwhile",
    deferQueueFull: (data) => `${data.limit} events are deferred already`,
    exists: (data) => `session ${data.session} is open already`,
    limit: (data) => `a limit is reached: ${data.which}, at most ${data.limit}`,
    storage: (data) => `storage: ${data.why}${outcomeText(data.outcome)}`,
    notVirtual: () => "the daemon runs on the real clock; only a virtual clock can be advanced",
};

function outcomeText(outcome) {
    if (outcome === "undone") return "; nothing has changed";
    return outcome === "unknown" ? "; whether it was executed is not known yet" : "";
}

function unknownText(kind, data) {
    const suggestions = data.didYouMean ?? [];
    const hint = suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`;
    return `there is no ${kind} ${data[kind]}${hint}`;
}

/** Who sent the event of the session's newest change, `last`; empty if the change had no event. */
function firstSenderText(last) {
    if (!last?.event) return "";
    return `${senderText(last.source)} was first with ${last.event} (#${last.seq})`;
}

/**
 * A refusal as a title and a text for a player, without the senders that only operators see. `sent` is the refused event with
 * its arguments; `titles` are the titles of the session's flow.
 */
export function playerMessage(error, nowMs, sent = {}, titles = new Titles()) {
    if (error instanceof NoAnswer) return { title: "No answer", text: `Please ${hintFor(error)}try again.` };
    const { state, last, why, argument, ageMs, ofFlow } = error.data ?? {};
    const event = error.data?.event ?? sent.name;
    switch (error.message) {
        case "noTransition":
            if (isRecent(last, nowMs)) return { title: tooLateText(last, sent, titles), text: "" };
            return {
                title: "Not now",
                text: `${titles.state(state)}: ${titles.event(event)} is not possible.`,
            };
        case "stale":
            if (ageMs === undefined) return { title: "Too late", text: "The state has changed." };
            return { title: "Too late", text: `That event arrived after ${durationText(ageMs)}.` };
        case "finished":
            return { title: "It is over", text: "No more events are accepted." };
        case "forbidden":
            return { title: "Not possible", text: "This screen may not do that." };
        case "invalid":
            if (sent.args?.[argument] === "") return missingMessage(argument, titles.argument(event, argument));
            return {
                title: "Not possible",
                text: ofFlow ? asSentence(why) : `${argumentName(titles, event, argument)}: ${why}.`,
            };
        default:
            return { title: "Not possible", text: `${errorSentence(error)}.` };
    }
}

function asSentence(text) {
    return `${text.replace(/^./u, (c) => c.toUpperCase())}.`;
}

function argumentName(titles, event, argument) {
    return titles.argument(event, argument) ?? humanised(argument ?? "");
}

function missingMessage(argument, title) {
    const name = title ?? (argument === "player" ? "your name" : spoken(argument));
    return { title: `Please type ${name}.`, text: "" };
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
    const late = playerOf(sent);
    return `${late === null ? "Too late" : `${late} was too late`}: ${whatWasFirst(last, titles)}.`;
}

function whatWasFirst(last, titles) {
    if (last.source?.kind === "timer") return "the time was up";
    const first = playerOf(last);
    return first === null ? alreadyHappened(last.event, titles.event(last.event)) : `${first} was first`;
}

function playerOf({ args }) {
    return typeof args?.player === "string" && args.player !== "" ? args.player : null;
}
