package import GameFlow
internal import Support
internal import Timers

extension Step.Kind {
    package static var say: Step.Kind { Step.Kind(number: 10) }
}

extension ChangeKind {
    /// The session's screens show another message.
    static let say = ChangeKind(
        .say, name: "say", [.takesDetails], .namedState, details: Change.Said.self
    ) { (details, _, session, context) throws(RequestError) in
        try session.sessions.say(details.text, for: details.length, session, context)
    }
}

extension Change {
    /// The message. An empty text removed the message.
    package struct Said: ChangeDetails {
        package let text: String
        /// How long the message is shown; nil means until the next message.
        package let length: Duration?

        package init(_ text: String, for length: Duration?) {
            (self.text, self.length) = (text, length)
        }

        package static let codes: ClosedRange<UInt8> = 5...6

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            text = try reader.string()
            length = code == 5 ? nil : .nanoseconds(try reader.signed())
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(length == nil ? 5 : 6)
            writer.string(text)
            if let length { writer.signed(length.nanoseconds) }
        }

        package init?(in change: [Member]) {
            guard let text = change["say"]?.text else { return nil }
            self.text = text
            if case .int(let length)? = change["forMs"] {
                self.length = .milliseconds(length)
            } else {
                length = nil
            }
        }

        package var members: [Member] { members(named: "say") }
        package var recordMembers: [Member] { members(named: "message") }

        private func members(named name: String) -> [Member] {
            [Member(name, text)] + (length.map { [Member("forMs", Int($0.milliseconds))] } ?? [])
        }

        package func text(_ format: some DetailsFormat) -> String? { "“\(format.text(text))”" }

        package var weight: Int { text.utf8.count }
    }
}

extension Sessions {
    /// Shows a message on the session's screens until `length` is over, or until the next message. An empty text
    /// removes the message. Returns the change.
    @discardableResult public func say(
        _ text: String, for length: Duration? = nil, _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        guard text.isEmpty || NoteLimits.messageLength ~= text.unicodeScalars.count else {
            throw .invalid(
                .session(session.name.text), argument: "text", why: NoteLimits.messageRule)
        }
        let command = try SessionCommand(session, context)
        let hasChanged = !text.isEmpty || session.message != nil
        if hasChanged {
            let until = length.map { now + $0 }
            let message = ScreenMessage(text: text, seq: session.seq + 1, until: until)
            session.setNotes(
                SessionNotes(
                    labels: session.labels, message: text.isEmpty ? nil : message,
                    opening: session.notes?.opening))
        }
        return command.answer(.say, Change.Said(text, for: length), hasChanged: hasChanged)
    }
}
