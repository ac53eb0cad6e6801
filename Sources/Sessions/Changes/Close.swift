package import GameFlow

extension Step.Kind {
    package static var close: Step.Kind { Step.Kind(number: 8) }
}

extension ChangeKind {
    /// The session was closed. A change has details if another session of its name was opened in the same step.
    static let close = ChangeKind(
        .close, name: "close", [.takesDetails, .answersWithStatus], .closing,
        details: Change.OpenedAgain.self
    ) { (recorded, _) in
        let isAgain = recorded.details?.value is Change.OpenedAgain
        return { (sessions, name, context) throws(RequestError) in
            try sessions.close(sessions.session(name), context, isAgain: isAgain)
        }
    }
}

extension Change {
    /// The session was closed, and another session of its name was opened in the same step.
    package struct OpenedAgain: ChangeDetails {
        package init() {}

        package static let codes: ClosedRange<UInt8> = 8...8

        package init(code: UInt8, from reader: inout some DetailsReader) {}

        package func write(to writer: inout some DetailsWriter & ~Copyable) { writer.byte(8) }

        package init?(in change: [Member]) { if change["again"] != .bool(true) { return nil } }

        package var members: [Member] { [Member("again", .bool(true))] }
    }

    /// Whether the change closed a session, and another session of its name was opened in the same step.
    var isReplaced: Bool { details?.value is OpenedAgain }
}

extension Sessions {
    /// Closes a session: ends its timers and the watches on its name, and removes its request ids from the
    /// cache. If a session of that name is opened in the same step (`isAgain`), watches on the name go on. Returns
    /// the session as it was before the closing.
    @discardableResult public func close(
        _ session: Session, _ context: RequestContext, isAgain: Bool = false
    ) throws(RequestError) -> Answer<SessionStatus> {
        // Otherwise `open` makes the steps, when the new session is open: a step could open a session of that name before.
        defer { if !isAgain { finishRequest() } }
        if let answer = try answer(to: context, of: session.name) { return answer }
        endCollecting(of: session)
        try checkCall(on: session.name, for: context)
        guard closedSessions.count < limits.closedSessions else {
            throw .limit(which: "closedSessions", limit: limits.closedSessions)
        }
        let status = session.status
        index.remove(session)
        let details = isAgain ? Change.Details(Change.OpenedAgain()) : nil
        _ = run(id: context.id, on: session, details: details) {
            session.completed(Step(.close, from: context.source, status.stateRecord, nil))
        }
        session.machine.end()
        if keepsClosedSessions { closedSessions[session.lastPos] = session }
        // The recording of the change has already removed the answers and the watches. The pending row keeps them, because a
        // failure of the store would undo the closing.
        if !isRecorded {
            idempotencyCache.takeAll(of: session.name, now: now)
            if !isAgain { endWatches(of: session.name) }
        }
        remember(session.lastChange, .status(status), context, of: session)
        return Answer(status, row: row(of: session))
    }
}
