import { pageHeader, tellOtherTabs } from "./credential.js";

/**
 * Asking the server: one JSON-RPC request at a time, and what it answers.
 */

const patienceMs = 10_000;
/** How long a call that is forbidden raises no doubt after the last one that was. */
const doubtMs = 5_000;
let lastId = 0;
let lastDoubt = -doubtMs;
let doubted = () => {};

/**
 * `handler()` is called when the server refused a call for want of rights: this page may have other
 * rights than it shows.
 */
export function onDoubt(handler) {
    doubted = handler;
}

/** The server said no, and why. */
export class Refusal extends Error {
    constructor(status, error) {
        super(error.message);
        this.status = status;
        this.code = error.code;
        this.data = error.data ?? {};
    }
}

/** Nobody answered; whether the request was carried out is not known. */
export class NoAnswer extends Error {}

/** What a method answers; throws a `Refusal` or `NoAnswer`. */
export async function call(method, params = {}) {
    lastId += 1;
    const request = { jsonrpc: "2.0", id: lastId, method, params };
    const { status, body } = await post("/v1/rpc", request);
    if (status === 401 || status === 403) doubt(status);
    if (body?.error) throw new Refusal(status, body.error);
    if (body === null || !("result" in body)) throw new NoAnswer(`status ${status}`);
    return body.result;
}

/**
 * Exchanges a token for the cookie that all other requests carry; an empty one gives the cookie
 * back. Answers who that is, or null if the server does not know the token.
 */
export async function login(token) {
    const { status, body } = await post("/v1/login", { token });
    tellOtherTabs();
    if (status === 200) return body;
    if (status === 401 || status === 403) return null;
    throw new NoAnswer(`status ${status}`);
}

/** Rights that are read again and stay as they were must not lead to reading them again at once. */
function doubt(status) {
    const now = performance.now();
    if (status === 403 && now - lastDoubt < doubtMs) return;
    lastDoubt = now;
    doubted();
}

async function post(path, message) {
    try {
        const response = await fetch(path, {
            method: "POST",
            headers: { "Content-Type": "application/json", ...pageHeader },
            body: JSON.stringify(message),
            signal: AbortSignal.timeout(patienceMs),
        });
        const body = await response.json().catch(() => null);
        return { status: response.status, body };
    } catch (error) {
        throw new NoAnswer(error.message);
    }
}
