import { pageHeader, notifyOtherTabs } from "./credential.js";
import { at } from "./dom.js";

/* Sends JSON-RPC requests and returns their results. */

const timeoutMs = 10_000;
/** For this time after a report, further forbidden calls (403) are not reported. */
const minimumReportPauseMs = 5_000;
let lastId = 0;
let reportedAt = -minimumReportPauseMs;
let missingRightsHandler = () => {};

/** `handler()` is called when the server refused a call because of missing rights: the rights may have changed. */
export function onMissingRights(handler) {
    missingRightsHandler = handler;
}

/** The error of a refused request: the HTTP status, and the JSON-RPC error. */
export class Refusal extends Error {
    constructor(status, error) {
        super(error.message);
        this.status = status;
        this.code = error.code;
        this.data = error.data ?? {};
    }
}

/** No answer came: whether the server executed the request is not known. */
export class NoAnswer extends Error {}

/** Returns the result of a method; throws a `Refusal`, or `NoAnswer` if no answer comes within `withinMs`. */
export async function call(method, params = {}, withinMs = timeoutMs) {
    lastId += 1;
    const request = { jsonrpc: "2.0", id: lastId, method, params };
    const { status, body } = await post("v1/rpc", request, withinMs);
    if (status === 401 || status === 403) reportMissingRights(status);
    if (body?.error) throw new Refusal(status, body.error);
    if (body === null || !("result" in body)) throw new NoAnswer(`status ${status}`);
    return body.result;
}

/**
 * Exchanges a token for the cookie that all other requests carry; an empty token deletes the cookie.
 * Returns the identity, or null if the server does not know the token. Throws if it does not accept the page.
 */
export async function login(token) {
    const { status, body } = await post("v1/login", { token });
    notifyOtherTabs();
    if (status === 200) return body;
    if (body?.error?.data?.why) throw new Refusal(status, body.error);
    if (status === 401 || status === 403) return null;
    throw new NoAnswer(`status ${status}`);
}

/** The handler reads the rights. If they are unchanged, the next forbidden call must not cause another read at once. */
function reportMissingRights(status) {
    const now = performance.now();
    if (status === 403 && now - reportedAt < minimumReportPauseMs) return;
    reportedAt = now;
    missingRightsHandler();
}

async function post(path, message, withinMs = timeoutMs) {
    try {
        const response = await fetch(at(path), {
            method: "POST",
            headers: { "Content-Type": "application/json", ...pageHeader },
            body: JSON.stringify(message),
            signal: AbortSignal.timeout(withinMs),
        });
        const body = await response.json().catch(() => null);
        return { status: response.status, body };
    } catch (error) {
        throw new NoAnswer(error.message, { cause: error });
    }
}

/** With HTTP/1.1 a browser has six connections. Each tab takes one, and then a request waits until its time is over. */
export function hintFor({ cause }) {
    return cause?.name === "TimeoutError" ? "close other tabs of this browser, or " : "";
}
