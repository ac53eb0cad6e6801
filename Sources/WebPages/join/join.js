import { find, setText } from "../shared/dom.js";

/**
 * Exchanges the secret of a link (its part after `#`) or a typed code for a cookie, and goes to the players' page of the
 * session.
 */

const timeoutMs = 10_000;
const form = find("#join");
const field = find("#code");
const button = find("button", form);
const message = find("#message");

/** The messages by the status of the reply. */
const sentences = {
    400: "A code has six letters and digits.",
    410: "This invitation was for one person, and was used. Ask the host for another one.",
    429: "Too many tries or too many guests. Wait a minute, then try again.",
    503: "The host cannot let anyone in at present. Try again in a moment.",
};
const wrongCode = "This code is not known, or its time is over. Ask the host for a new one.";
const wrongLink = "This link is not known, or its time is over. Ask the host for a new one.";
const noAnswer = "No answer. Try again in a moment.";

form.addEventListener("submit", (event) => {
    event.preventDefault();
    join({ code: field.value }, wrongCode);
});
addEventListener("hashchange", followLink);
field.focus();
followLink();

/** Joins with the secret in the address, if there is one, and removes it from the address bar and the history at once. */
function followLink() {
    const link = location.hash.slice(1);
    if (link === "") return;
    history.replaceState(null, "", location.pathname);
    join({ link }, wrongLink);
}

/** `credential` is `{code}` or `{link}`; `unknownText` is the message if the server does not know it. */
async function join(credential, unknownText) {
    button.disabled = true;
    setText(message, "");
    try {
        const { status, body } = await post(credential);
        if (status === 200) return enter(body.session);
        setText(message, status === 404 ? unknownText : (sentences[status] ?? noAnswer));
    } catch {
        setText(message, noAnswer);
    } finally {
        button.disabled = false;
    }
}

async function post(credential) {
    const response = await fetch("/join", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(credential),
        signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
}

/** Goes to the players' page. Tabs that show this page already share its cookie; the message makes them connect again. */
function enter(session) {
    new BroadcastChannel(`gamed play.${session}`).postMessage("");
    location.replace(`/play/${encodeURIComponent(session)}`);
}
