/* The rights of this page: the daemon's rules grant it roles, each for some or all sessions and events. */

/** Each role includes those before it. */
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

    /** Whether the page has `role` or a higher role for a session. */
    has(role, session) {
        return this.#grantsFor(role).some((grant) => matches(grant.session, session));
    }

    /** Whether the page has `role` or a higher role for all sessions, including the sessions that are opened later. */
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
     * The arguments of this page's event that the rules bind, with their values, by name. The server adds these values to the
     * event, and refuses other values. An argument is bound only if all matching rules bind it to the same value.
     */
    boundArguments(event, session, argumentNames) {
        const isMatch = (grant) => matches(grant.session, session) && matches(grant.event, event);
        const isArgument = ([name]) => argumentNames.includes(name);
        const boundByRule = this.#grantsFor("play")
            .filter(isMatch)
            .map(({ args = {} }) => Object.fromEntries(Object.entries(args).filter(isArgument)));
        if (boundByRule.some((args) => Object.keys(args).length === 0)) return {};
        const [first = {}, ...others] = boundByRule;
        const isSameInAll = ([name, value]) => others.every((args) => args[name] === value);
        return Object.fromEntries(Object.entries(first).filter(isSameInAll));
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
