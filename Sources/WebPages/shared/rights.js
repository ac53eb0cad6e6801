/**
 * What this page may do, by the rules that name it: a role for some sessions, for sending some events.
 */
const order = ["observe", "play", "operate"];

export class Rights {
    #grants;

    constructor(grants = []) {
        this.#grants = grants;
    }

    /** Whether it has a role, or one above it, for a session. */
    has(role, session) {
        return this.#of(role).some((grant) => matches(grant.session, session));
    }

    /** For all sessions there are and will be. */
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

    #of(role) {
        return this.#grants.filter((grant) => order.indexOf(grant.role) >= order.indexOf(role));
    }
}

/** As fnmatch(3) has it: `*` is any text, `?` one character, `[a-c]` and `[!a-c]` one of some. */
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
