/* Words for operators, which the pages of an audience do not load. */

/** The sender of an event: `timer`, `unix pid 123`, `web token:desk`. */
export function senderText(source) {
    if (!source) return "somebody";
    const { kind, peer } = source;
    if (source.as) return `${kind} ${source.as}`;
    if (peer?.pid !== undefined) return `${kind} pid ${peer.pid}`;
    const address = Object.values(peer ?? {})[0];
    return address === undefined ? kind : `${kind} ${address}`;
}

/** A list within a sentence. */
export function listed(names) {
    return names.length === 0 ? "nothing" : names.join(", ");
}
