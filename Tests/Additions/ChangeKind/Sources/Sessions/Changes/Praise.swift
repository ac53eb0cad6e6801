package import GameFlow

extension Step.Kind {
    package static var praise: Step.Kind { Step.Kind(number: 13) }
}

extension ChangeKind {
    /// An operator has praised the players.
    static let praise = ChangeKind(
        .praise, name: "praise", [.takesDetails], .namedState, details: Change.Praised.self
    ) { (details, _, session, context) throws(RequestError) in
        try session.sessions.praise(details.points, session, context)
    }
}

extension Change {
    /// How many points the praise is worth.
    package struct Praised: ChangeDetails {
        package let points: Int

        package init(_ points: Int) { self.points = points }

        package static let codes: ClosedRange<UInt8> = 10...10

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            points = try reader.count("points")
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(10)
            writer.count(points)
        }

        package init?(in change: [Member]) {
            guard case .int(let points)? = change["points"] else { return nil }
            self.points = points
        }

        package var members: [Member] { [Member("points", points)] }

        package func text(_ format: some DetailsFormat) -> String? { "\(points) points" }
    }
}

extension Sessions {
    /// Praises the players of a session. Returns the change.
    @discardableResult package func praise(
        _ points: Int, _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        let command = try SessionCommand(session, context)
        return command.answer(.praise, Change.Praised(points), hasChanged: true)
    }
}
