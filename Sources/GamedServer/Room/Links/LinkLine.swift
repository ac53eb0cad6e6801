import GameFlow
import RPC
import Sessions

/// An `on` line that opens another session or sends an event to it.
struct LinkLine: Equatable {
    enum Action: Equatable {
        case open(flow: String?)
        case send(event: String, arguments: [Argument])
    }

    /// An argument of the event: a template, or another value as it stands.
    struct Argument: Equatable {
        let name: String
        let value: Value
        let template: OutputTemplate?
    }

    /// A number of the line's text, by which the journal knows the line.
    let fingerprint: UInt64
    let trigger: OutputLine.Trigger
    let session: Glob
    let target: OutputTemplate
    let action: Action

    /// The step for an occasion of `change`; nil if a value is missing, or if the name is not valid for a session.
    func step(for occasion: OutputOccasion, after change: Change, id: String) -> LinkedStep? {
        guard let text = target.text(occasion.part), let name = SessionName(text) else {
            return nil
        }
        switch action {
        case .open(let flow): return LinkedStep(name, .open(flow: flow), after: change, id: id)
        case .send(let event, let arguments):
            var members: [Member] = []
            for argument in arguments {
                guard
                    let value = argument.template.map({ $0.value(occasion.part) })
                        ?? argument.value
                else { return nil }
                members.append(Member(argument.name, value))
            }
            return LinkedStep(name, .send(event: event, members), after: change, id: id)
        }
    }
}
