import RPC

/// What `gamectl top` asks for in its last line.
struct TopPrompt {
    enum Subject {
        /// The next argument of an event: those that were typed are words such as `player=Ann`.
        case argument(TopEvent, typed: [String])
        /// Whether an event is to be sent.
        case confirmation(TopEvent, typed: [String])
        /// The message for the players' screens.
        case message
    }

    let subject: Subject
    let session: String
    /// The entry that the operator sees.
    let entry: Int
    var text = ""

    /// The question, before what was typed.
    var question: String {
        switch subject {
        case .argument(let event, let typed):
            "\(event.title), \(TerminalSafe.escaped(event.arguments[typed.count].name)): "
        case .confirmation(let event, _): "\(event.title)? y or n "
        case .message: "Message (empty removes it): "
        }
    }
}
