import GameFlow
package import RPC
package import Sessions

/// An `on` line that opens another session, or sends an event to another session.
package struct LinkLine: Equatable {
    package enum Action: Equatable {
        /// Opens the session. If `flow` is nil, the session plays the first flow of the daemon.
        case open(flow: String?)
        case send(event: String, arguments: [TemplateArgument<OutputPlaceholder>])
    }

    /// A hash of the line's text, which identifies the line in the journal.
    package let fingerprint: UInt64
    /// The effects, or the entered states, after which the line acts.
    package let trigger: OutputLine.Trigger
    /// The sessions whose changes the line applies to.
    package let session: Glob
    /// The name of the other session.
    package let target: OutputTemplate
    package let action: Action

    /// The step that the line requests from the other session after `change`. `occasion` is the effect or the entry in that
    /// change, and `id` is the step's request id. Throws if the occasion lacks a value that the line uses, or if the target is not
    /// a valid name of a session. `count` is the number of steps that all lines request after the change.
    package func step(for occasion: OutputOccasion, after change: Change, id: String, count: Int)
        throws(ContentError) -> LinkedStep
    {
        guard let text = target.text(occasion.value(of:)), let name = SessionName(text) else {
            let key = if case .open = action { "open" } else { "send" }
            throw ContentError(
                key, target.placeholders, occasion.value(of:),
                otherwise: "a value makes a name that no session can have")
        }
        switch action {
        case .open(let flow):
            return LinkedStep(name, .open(flow: flow), after: change, id: id, count: count)
        case .send(let event, let arguments):
            var members: [Member] = []
            for argument in arguments {
                guard let member = argument.member(occasion.value(of:)) else {
                    throw ContentError(
                        "args", argument.placeholders, occasion.value(of:), otherwise: "no value")
                }
                members.append(member)
            }
            return LinkedStep(
                name, .send(event: event, members), after: change, id: id, count: count)
        }
    }
}
