public import GameFlow
internal import Support

extension Step.Kind {
    package static var label: Step.Kind { Step.Kind(number: 9) }
}

extension ChangeKind {
    /// Labels of the session were set.
    static let label = ChangeKind(
        .label, name: "label", [.takesDetails], .namedState, details: Change.Labelled.self
    ) { (details, _, session, context) throws(RequestError) in
        try session.sessions.label(details.labels, session, context)
    }
}

extension Change {
    /// The labels that were set. An empty value means that the label was removed.
    package struct Labelled: ChangeDetails {
        package let labels: [Member]

        package init(_ labels: [Member]) { self.labels = labels }

        package static let codes: ClosedRange<UInt8> = 4...4

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            labels = try reader.members()
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(4)
            writer.members(labels)
        }

        package init?(in change: [Member]) {
            guard case .object(let labels)? = change["labels"] else { return nil }
            self.labels = labels
        }

        package var members: [Member] { [Member("labels", .object(labels))] }
        package var recordMembers: [Member] { [Member("label", .object(labels))] }

        package func visible(hiding hidden: HiddenNames?) -> Labelled? {
            Labelled(labels.filter { !NoteLimits.isPrivateLabel($0.name) })
        }

        package func text(_ format: some DetailsFormat) -> String? { format.texts(labels) }

        package var weight: Int { labels.weight }
    }
}

extension Sessions {
    /// Sets labels of a session; an empty value removes a label. Setting labels to their present values makes no
    /// change. Returns the change.
    @discardableResult public func label(
        _ labels: [Member], _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        let new = try SessionNotes.labels(session.labels, changedBy: labels, of: session.name)
        let command = try SessionCommand(session, context)
        let hasChanged = new != session.labels
        if hasChanged {
            session.setNotes(
                SessionNotes(labels: new, message: session.message, opening: session.opening))
        }
        return command.answer(.label, Change.Labelled(labels), hasChanged: hasChanged)
    }
}
