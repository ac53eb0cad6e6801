/**
 * What tells the rooms of a flow apart, for an operator: the labels `title` and `team` of a session; empty without them.
 */
export function teamText({ labels = {} }) {
    return [labels.title, labels.team].filter(Boolean).join(" · ");
}
