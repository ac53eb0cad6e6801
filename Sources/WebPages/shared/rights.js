/*
 * The rights of this page by the rules that name it: a role for some sessions, for some events.
 */

const roles = ["observe", "play", "operate"];

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
        return this.#grantsFor(role).some((grant) => matches(grant.session, session));
    }

    /** Whether it has the role for all sessions, also later ones. */
    hasEverywhere(role) {
        return this.#grantsFor(role).some((grant) => grant.session === "*");
    }

    hasSomewhere(role) {
        return this.#grantsFor(role).length > 0;
    }

    maySend(event, session) {
        const isMatch = (grant) => matches(grant.session, session) && matches(grant.event, event);
        return this.#grantsFor("play").some(isMatch);
    }

    /**
     * The arguments that the rules bind to fixed values in this page's events, by name. The page may not send other
     * values; the server fills them in. `known` are the names of the event's arguments.
     */
    bound(event, session, known) {
        const isMatch = (grant) => matches(grant.session, session) && matches(grant.event, event);
        const isKnown = ([name]) => known.includes(name);
        const all = this.#grantsFor("play")
            .filter(isMatch)
            .map(({ args = {} }) => Object.fromEntries(Object.entries(args).filter(isKnown)));
        return all.every((args) => Object.keys(args).length > 0) ? (all[0] ?? {}) : {};
    }

    #grantsFor(role) {
        return this.#grants.filter((grant) => roles.indexOf(grant.role) >= roles.indexOf(role));
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
