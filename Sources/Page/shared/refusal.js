import { NoAnswer } from "./rpc.js";
import { humanised, listed, spoken, who } from "./words.js";

/**
 * Why the server said no, as one sentence. The names are those of the flow, as an operator types
 * them.
 */
export function sentence(error) {
    if (error instanceof NoAnswer) return "No answer came. The log shows whether it happened.";
    const data = error.data ?? {};
    const known = sentences[error.message];
    return known ? known(data) : (data.why ?? error.message);
}

const sentences = {
    noTransition(data) {
        const takes = `${data.state} does not take ${data.event}`;
        const text = `${takes}; it accepts ${listed(data.accepts ?? [])}`;
        const first = firstOne(data.last);
        return first === "" ? text : `${text}; ${first}`;
    },
    invalid: (data) =>
        `${data.event ?? data.state ?? ""} ${data.argument ?? ""}: ${data.why ?? "not allowed"}`,
    hookRefused: (data) => `${data.hook}: ${data.why}`,
    forbidden: (data) =>
        data.needs === "timer"
            ? `${data.event} may not come from ${data.source}, only from timer`
            : `${data.event ?? data.method} needs ${data.needs}, which no rule gives you here`,
    unknownSession: (data) => unknown("session", data),
    unknownEvent: (data) => unknown("event", data),
    unknownFlow: (data) => unknown("flow", data),
    unknownState: (data) => unknown("state", data),
    finished: (data) => `${data.state} is final; the session takes nothing any more`,
    stale: (data) => `it was ${data.ageMs} ms old, at most ${data.limitMs} ms are taken`,
    deferQueueFull: (data) => `${data.limit} events wait already`,
    exists: (data) => `a session ${data.session} is open already`,
    limit: (data) => `too much at once: ${data.which}, at most ${data.limit}`,
    storage: (data) => `not kept: ${data.why}${outcome(data.outcome)}`,
    notVirtual: () => "time goes by itself here; only a virtual clock can be advanced",
};

function outcome(outcome) {
    if (outcome === "undone") return "; nothing has changed";
    return outcome === "unknown" ? "; whether it happened is not known yet" : "";
}

function unknown(what, data) {
    const near = data.didYouMean ?? [];
    const hint = near.length === 0 ? "" : `; did you mean ${near.join(" or ")}?`;
    return `there is no ${what} ${data[what]}${hint}`;
}

/** Who was first, and with what; nothing where the last change was no event. */
function firstOne(last) {
    if (!last?.event) return "";
    return `${who(last.source)} was first with ${last.event} (#${last.seq})`;
}

/**
 * The same for a player: short, without the names of a program. It is "too late" where somebody
 * else's event came within the last seconds, "not now" otherwise.
 */
export function brief(error, nowMs) {
    if (error instanceof NoAnswer) return { title: "No answer", text: "Please try again." };
    const { state, event, last, why } = error.data ?? {};
    if (error.message === "noTransition" && isRecent(last, nowMs)) {
        const isTimer = last.source?.kind === "timer";
        const first = isTimer ? "the time was up" : `${player(last)} was first`;
        return { title: "Too late", text: `${humanised(last.event)}: ${first} (#${last.seq}).` };
    }
    if (error.message === "noTransition") {
        return { title: "Not now", text: `${humanised(state)} does not take ${spoken(event)}.` };
    }
    if (error.message === "invalid") {
        return { title: "Not possible", text: `${humanised(error.data.argument ?? "")}: ${why}.` };
    }
    return { title: "Not possible", text: `${sentence(error)}.` };
}

const recentMs = 3_000;

function isRecent(last, nowMs) {
    return Boolean(last?.event) && nowMs - last.atMs <= recentMs;
}

/** A player's name where the event says it, as a buzzer's does; else who sent it. */
function player(last) {
    return typeof last.args?.player === "string" ? last.args.player : who(last.source);
}
