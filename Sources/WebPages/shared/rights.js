/**
 * The rights of this page by the rules that name it: a role for some sessions, for some events.
 */
const order = ["observe", "play", "operate"];

export class Rights {
    #grants;

    constructor(grants = []) {
        this.#grants = grants;
    }

    /** The same text for the same rights. */
    get text() {
        return JSON.stringify(this.#grants);
    }

    /** Whether the page has a role, or a higher one, for a session. */
    has(role, session) {
        return this.#of(role).some((grant) => matches(grant.session, session));
    }

    /** Whether it has the role for all sessions, also later ones. */
    hasEverywhere(role) {
        return this.#of(role).some((grant) => grant.session === "*");
    }

    hasSomewhere(role) {
        return this.#of(role).length > 0;
    }

    maySend(event, session) {
        const isMeant = (grant) => matches(grant.session, session) && matches(grant.event, event);
        return this.#of("play").some(isMeant);
    }

    /**
     * The arguments with which alone the page may send an event, by name; `known` are the names of the event's
     * arguments. The server fills them in.
     */
    bound(event, session, known) {
        const isMeant = (grant) => matches(grant.session, session) && matches(grant.event, event);
        const isKnown = ([name]) => known.includes(name);
        const all = this.#of("play")
            .filter(isMeant)
            .map(({ args = {} }) => Object.fromEntries(Object.entries(args).filter(isKnown)));
        return all.every((args) => Object.keys(args).length > 0) ? (all[0] ?? {}) : {};
    }

    #of(role) {
        return this.#grants.filter((grant) => order.indexOf(grant.role) >= order.indexOf(role));
    }
}

/** Matches a pattern as fnmatch(3) does: `*` is any text, `?` one character, `[a-c]` and `[!a-c]` sets. */
function matches(glob, name) {
    const pattern = glob
        .replace(/[.+^${}()|\\]/g, "\\$&")
        .replace(/\[!/g, "[^")
        .replace(/\*/g, ".*")
        .replace(/\?/g, ".");
    try {
        return new RegExp(`^${pattern}$`, "u").test(name);
    } catch {
        return glob === name;
    }
}
