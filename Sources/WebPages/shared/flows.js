import { call } from "./rpc.js";
import { Titles } from "./titles.js";

/** Promises of the answers to `describe`, by flow, version and language of the session. A version never changes. */
let descriptions = new Map();
/** The titles of the versions whose answers have come. */
let knownTitles = new Map();

/** A promise of the states, events and transitions of the version that a session plays. */
export function describe(session) {
    const key = versionOf(session);
    if (!descriptions.has(key)) {
        const answer = requestDescription(session.session);
        answer.then((flow) => knownTitles.set(key, titlesFrom(flow, session))).catch(() => descriptions.delete(key));
        descriptions.set(key, answer);
    }
    return descriptions.get(key);
}

/** The reader's languages, the most welcome first; empty if the page shows each session in the session's own language. */
let readersLanguages = [];

export function readIn(languages) {
    readersLanguages = languages;
}

/** The description of a session's flow, in a language of the reader if the flow declares one. */
async function requestDescription(session) {
    const flow = await call("describe", { session });
    const language = readersLanguage(flow);
    return language ? call("describe", { session, language }) : flow;
}

function titlesFrom(flow, session) {
    const language = readersLanguage(flow);
    return new Titles(flow, language !== undefined && language !== session.language);
}

/** The language of the reader among those that a flow declares; undefined if there is none. */
function readersLanguage({ languages = [] }) {
    return readersLanguages.map((name) => declaredLanguage(name, languages)).find(Boolean);
}

/** The declared language that fits the name of a language: `de` fits `de-AT`. Undefined if none does. */
function declaredLanguage(name, declared) {
    return declared.find((each) => each === name) ?? declared.find((each) => each === name.split("-")[0]);
}

/** Whether the flow lets a page send an event, which is in the form of `describe`. */
export function isForPages({ from: kinds }) {
    return kinds?.includes("web") !== false;
}

/** The titles of a session's flow; empty until they are known. */
export function titlesOf(session) {
    return (session && knownTitles.get(versionOf(session))) ?? new Titles();
}

/** Whether the titles of a session's flow are known. */
export function hasTitles(session) {
    return knownTitles.has(versionOf(session));
}

function versionOf({ flow, version, language }) {
    return `${flow} ${version} ${language}`;
}

/** Called when the server has another `instance`, which may have other flows. */
export function forgetFlows() {
    [descriptions, knownTitles] = [new Map(), new Map()];
}
