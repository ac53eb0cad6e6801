public import GameFlow
internal import Timers

extension Step.Kind {
    package static var timer: Step.Kind { Step.Kind(number: 7) }
}

extension ChangeKind {
    /// An operator has operated timers of the session's state, or the wall clock was set and moved one.
    static let timer = ChangeKind(
        .timer, name: "timer", [.isStep, .takesDetails, .answersWithStatus], .state,
        details: Change.OperatedTimer.self
    ) { (details, status, session, context) throws(RequestError) in
        let operation = details.operation
        let until = status.machine?.timers.first { $0.fires == operation.fires }?.until
        guard operation.action == .set, let until else {
            try session.sessions.operate(operation, on: session, context)
            return
        }
        // No request sets such a timer: the wall clock was set.
        try session.sessions.repeatSetting(operation, to: until, of: session, context)
    }
}

extension Change {
    /// The operation on the timers.
    package struct OperatedTimer: ChangeDetails {
        package let operation: TimerOperation

        package init(_ operation: TimerOperation) { self.operation = operation }

        package static let codes: ClosedRange<UInt8> = 2...3

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            let fires = try reader.string()
            let action = try TimerOperation.Action(code: reader.byte())
            operation = TimerOperation(
                fires, action, by: code == 2 ? nil : .nanoseconds(try reader.signed()))
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(operation.by == nil ? 2 : 3)
            writer.string(operation.fires)
            writer.byte(operation.action.code)
            if let by = operation.by { writer.signed(by.nanoseconds) }
        }

        package init?(in change: [Member]) {
            guard case .object(let timer)? = change["timer"], let fires = timer["fires"]?.text,
                let action = timer["action"]?.text.flatMap({ TimerOperation.Action(rawValue: $0) })
            else { return nil }
            var by: Duration?
            if case .int(let length)? = timer["byMs"] ?? timer["toMs"] {
                by = .milliseconds(length)
            }
            operation = TimerOperation(fires, action, by: by)
        }

        package var members: [Member] {
            // For `set`, the new remaining time; for other actions, by how much the timer is extended or shortened.
            let name = operation.action == .set ? "toMs" : "byMs"
            let by = operation.by.map { [Member(name, Int($0.milliseconds))] } ?? []
            let head = [
                Member("fires", operation.fires), Member("action", operation.action.rawValue),
            ]
            return [Member("timer", .object(head + by))]
        }

        package func visible(hiding hidden: HiddenNames?) -> OperatedTimer? {
            hidden?.hidesEvent(operation.fires) == true ? nil : self
        }

        /// `timeUp extend by 0:30`
        package func text(_ format: some DetailsFormat) -> String? {
            let preposition = operation.action == .set ? "to" : "by"
            let by = operation.by.map { " \(preposition) \(format.length($0))" } ?? ""
            return "\(format.text(operation.fires)) \(operation.action.rawValue)\(by)"
        }
    }
}

extension TimerOperation.Action {
    /// The number of the action in a journal. A number is never reused.
    fileprivate var code: UInt8 {
        switch self {
        case .pause: 1
        case .resume: 2
        case .extend: 3
        case .restart: 4
        case .shorten: 5
        case .set: 6
        }
    }

    fileprivate init(code: UInt8) throws(UnreadableRowError) {
        guard let action = Self.allCases.first(where: { $0.code == code }) else {
            throw UnreadableRowError(why: "the timer operation \(code) has an unknown version")
        }
        self = action
    }
}

extension Sessions {
    /// Applies an operation, such as a pause, to one timer or to all timers of the session's state. An operation on one timer
    /// names the timer by its signal. An operation without effect, such as a second pause, is not a change. Returns the session
    /// after the operation.
    @discardableResult public func operate(
        _ operation: TimerOperation, on session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<SessionStatus> {
        defer { finishRequest() }
        if let answer = try answer(to: context, of: session.name) { return answer }
        let command = try SessionCommand(session, context)
        let change = command.change(
            .timer, Change.OperatedTimer(operation), hasChanged: try apply(operation, session))
        let status = session.status
        remember(change, .status(status), context, of: session)
        return Answer(status, row: row(of: session))
    }

    /// Applies the operation to the timer or timers that it names; returns whether that changed anything.
    private func apply(_ operation: TimerOperation, _ session: Session) throws(RequestError) -> Bool
    {
        do throws(TimerOperation.OperationError) {
            return try session.machine.operate(operation)
        } catch {
            let argument: String
            switch error {
            case .noTimer, .notToAll: argument = "fires"
            case .noEnd: argument = "action"
            case .tooLong:
                throw .limit(which: "timerMs", limit: Int(Duration.longest.milliseconds))
            }
            throw .invalid(
                .state(session.machine.place.state), argument: argument, why: error.sentence)
        }
    }
}
