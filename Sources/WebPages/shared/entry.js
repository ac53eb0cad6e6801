const kinds = ["open", "enter", "goto", "undo"];

/** Whether a change of this kind enters a state. */
export function isEntry({ kind }) {
    return kinds.includes(kind);
}
