/**
 * What tells the rooms of a flow apart, for an operator: the labels `title` and `team` of a session, and its language if the flow
 * has several; empty without them.
 */
export function teamText({ labels = {}, language }) {
    return [labels.title, labels.team, language].filter(Boolean).join(" · ");
}
