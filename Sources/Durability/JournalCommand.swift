internal import GameFlow
internal import Journal
internal import Sessions
internal import Timers

/// The operation that a record describes, in a form that can be executed again.
enum JournalCommand {
    /// The daemon started or restarted at `at`; it was last known to run at `lastAlive`.
    case start(at: Instant, lastAlive: Instant)
    /// The virtual clock was advanced to `to`. `isCutShort` says that some timers due at that time
    /// did not fire.
    case advance(to: Instant, isCutShort: Bool)
    /// A timer of the session fired, after it missed that many beats.
    case firing(signal: String, missed: Int)
    case open(flow: String, state: String, data: [Member], source: Source)
    case close(source: Source)
    case send(event: String, arguments: [Member], source: Source)
    case goto(state: String, data: [Member], reason: String?, source: Source)
    case operate(TimerOperation, source: Source)
    /// A consequence of the preceding change.
    case consequence
    /// An event was refused by the error of that name, and changed nothing. `isWhole` says whether
    /// the journal has all of its arguments.
    case refusal(
        event: String, arguments: [Member], source: Source, why: String, isWhole: Bool)
    /// A quarantined session was given up.
    case givenUp
    /// That many rows were erased.
    case forgotten(Int)

    /// Derives the command of a record. Throws if the record lacks information that is needed to
    /// execute it again.
    init(_ record: SessionRecord) throws(UnreadableRowError) {
        switch record.body {
        case .start(let start): self = .start(at: start.now, lastAlive: start.lastAlive)
        case .advance(let advance):
            self = .advance(to: advance.now, isCutShort: advance.isCutShort)
        case .givenUp: self = .givenUp
        case .forgotten(let forgotten): self = .forgotten(forgotten.positions.count)
        case .refusal(let refusal):
            self = .refusal(
                event: refusal.event.name, arguments: refusal.event.arguments,
                source: refusal.source.source, why: refusal.error,
                isWhole: refusal.omittedBytes == 0)
        case .rest(let rest): self = Self.rest(rest)
        case .change(let change): self = try Self.change(change)
        }
    }

    private static func rest(_ rest: SessionRecord.Rest) -> JournalCommand {
        if case .timer(let operation)? = rest.answer?.order, let answer = rest.answer?.step {
            return .operate(operation, source: answer.source)
        }
        if let answer = rest.answer?.step, let event = answer.event {
            return .send(event: event.name, arguments: event.arguments, source: answer.source)
        }
        guard !rest.follows, let fired = rest.fired else { return .consequence }
        return .firing(signal: fired, missed: 0)
    }

    private static func change(_ change: SessionRecord.Changed) throws(UnreadableRowError)
        -> JournalCommand
    {
        if change.follows { return .consequence }
        let step = change.did.step
        switch (step.kind, change.did.order) {
        case (.open, _):
            guard let to = step.to else { throw UnreadableRowError(why: "to: missing") }
            return .open(
                flow: change.status.flow, state: to.state, data: to.data, source: step.source)
        case (.close, _): return .close(source: step.source)
        case (.goto, .override(let reason)):
            guard let to = step.to else { throw UnreadableRowError(why: "to: missing") }
            return .goto(state: to.state, data: to.data, reason: reason, source: step.source)
        case (_, .timer(let operation)): return .operate(operation, source: step.source)
        default: break
        }
        guard let event = step.event else { throw UnreadableRowError(why: "event: missing") }
        if step.source.kind == .timer { return .firing(signal: event.name, missed: step.missed) }
        return .send(event: event.name, arguments: event.arguments, source: step.source)
    }
}

extension Sessions {
    /// Executes a recorded command on a session; does nothing for a consequence, which happens by
    /// itself.
    func perform(_ command: JournalCommand, on name: SessionName, id: String?) throws(RequestError)
    {
        if case .open(let flow, let state, let data, let source) = command {
            _ = try open(
                name, self.flow(flow), state: state, data: data,
                RequestContext(from: source, id: id))
            return
        }
        let session = try session(name)
        switch command {
        case .close(let source): try close(session, RequestContext(from: source, id: id))
        case .send(let event, let arguments, let source):
            _ = try send(
                event, arguments, to: session, RequestContext(from: source, id: id))
        case .goto(let state, let data, let reason, let source):
            _ = try goto(
                state, data, session, RequestContext(from: source, id: id, reason: reason))
        case .operate(let operation, let source):
            try operate(operation, on: session, RequestContext(from: source, id: id))
        default: break
        }
    }
}
