/*
 * The rights of this page. A rule of the daemon grants it a role; the rule may be limited to some sessions and events.
 */

const roles = ["observe", "play", "operate"];

export class Rights {
    #grants;

    constructor(grants = []) {
        this.#grants = grants;
    }

    /** A text by which rights can be compared: equal rights have equal texts. */
    get text() {
        return JSON.stringify(this.#grants);
    }

    /** Whether the page has a role, or a higher one, for a session. */
    has(role, session) {
        return this.#grantsFor(role).some((grant) => matches(grant.session, session));
    }

    /** Whether the page has a role, or a higher one, for all sessions, including those that are opened later. */
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
     * values; the server fills them in. No argument is bound if one of the matching rules binds none.
     */
    boundArguments(event, session, argumentNames) {
        const isMatch = (grant) => matches(grant.session, session) && matches(grant.event, event);
        const isArgument = ([name]) => argumentNames.includes(name);
        const all = this.#grantsFor("play")
            .filter(isMatch)
            .map(({ args = {} }) => Object.fromEntries(Object.entries(args).filter(isArgument)));
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
