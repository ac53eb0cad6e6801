import { hintFor, NoAnswer } from "./rpc.js";
import { listed, senderText } from "./senders.js";

/** A refusal or a missing answer as a sentence for operators, with the flow's names and not their titles. */
export function errorSentence(error) {
    if (error instanceof NoAnswer) return `no answer came; ${hintFor(error)}look in the log whether the request was executed`;
    const data = error.data ?? {};
    const sentenceFrom = sentences[error.message];
    return sentenceFrom ? sentenceFrom(data) : (data.why ?? error.message);
}

/** As `errorSentence`, with a full stop, unless the sentence ends with a question, such as "did you mean begin?". */
export function closedSentence(error) {
    const sentence = errorSentence(error);
    return sentence.endsWith("?") ? sentence : `${sentence}.`;
}

/** The functions that make a sentence from an error's data, by the error's name. */
const sentences = {
    noTransition(data) {
        // The event is null if the flow hides it from the user.
        const event = data.event ?? "the hidden event";
        const accepts = data.accepts ?? [];
        // The state takes the event in other cases, such as with other arguments.
        const exception = accepts.includes(event) ? " now, or not with these arguments" : "";
        const text = `${data.state} does not take ${event}${exception}; it accepts ${listed(accepts)}`;
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
