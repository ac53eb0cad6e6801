import { at, find, setText } from "../shared/dom.js";
import { own, speak } from "../shared/ownwords.js";

/**
 * The page `/join`. It exchanges the secret of an invitation's link (the part of the address after `#`), or a typed code, for a
 * cookie. Then it goes to the players' page of the session.
 */

/** After this time without an answer, a request has failed. */
const timeoutMs = 10_000;
const joinForm = find("#join");
const codeInput = find("#code");
const joinButton = find("button", joinForm);
const messageElement = find("#message");

/** What the page says about a refusal, by the HTTP status of the reply. */
const refusalTexts = () => ({
    400: own`A code has six letters and digits.`,
    410: own`This invitation was for one person, and was used. Ask the host for another one.`,
    429: own`Too many tries or too many guests. Wait a minute, then try again.`,
    503: own`The host cannot let anyone in at present. Try again in a moment.`,
});
const unknownCodeText = () => own`This code is not known, or its time is over. Ask the host for a new one.`;
const unknownLinkText = () => own`This link is not known, or its time is over. Ask the host for a new one.`;
const noAnswerText = () => own`No answer. Try again in a moment.`;

joinForm.addEventListener("submit", (event) => {
    event.preventDefault();
    join({ code: codeInput.value }, unknownCodeText());
});
addEventListener("hashchange", followLink);
codeInput.focus();
const languages = new URLSearchParams(location.search).getAll("language");
speak([...languages, ...navigator.languages]).then(followLink);

/**
 * If the address contains a secret, joins with this secret. The secret is removed from the address bar and the history at once.
 */
function followLink() {
    const secret = location.hash.slice(1);
    if (secret === "") return;
    history.replaceState(null, "", location.pathname + location.search);
    join({ link: secret }, unknownLinkText());
}

/** Joins with a credential, `{code}` or `{link}`. `unknownText` is shown if the server does not know the credential. */
async function join(credential, unknownText) {
    joinButton.disabled = true;
    setText(messageElement, "");
    try {
        const { status, body } = await post(credential);
        if (status === 200) return goToPlayersPage(body.session);
        setText(messageElement, status === 404 ? unknownText : (refusalTexts()[status] ?? body?.error?.data?.why ?? noAnswerText()));
    } catch {
        setText(messageElement, noAnswerText());
    } finally {
        joinButton.disabled = false;
    }
}

/** Sends the credential. Returns the HTTP status and the body of the reply; the body is null if it is not JSON. */
async function post(credential) {
    const response = await fetch(at("join"), {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(credential),
        signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
}

/**
 * Goes to the players' page of a session, with the query of this page, such as `?screen=wall`; with `?to=overlay`, to the overlay.
 * Tabs that already show one of these share the new cookie. The broadcast message makes them connect again, so that they use it.
 */
function goToPlayersPage(session) {
    new BroadcastChannel(`gamed play.${session}`).postMessage("");
    const query = new URLSearchParams(location.search);
    const page = query.get("to") === "overlay" ? "overlay" : "play";
    query.delete("to");
    const rest = query.size === 0 ? "" : `?${query}`;
    location.replace(at(`${page}/${encodeURIComponent(session)}`) + rest);
}
