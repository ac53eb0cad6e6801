internal import GameFlow
internal import Journal
internal import Sessions
internal import Timers

/// The operation that a record describes, in a form that can be executed again.
enum RecordedCommand {
    /// The daemon started or restarted, or another daemon has taken its sessions over.
    case start(SessionRecord.Start)
    /// The virtual clock was advanced to the instant `to`. `isCutShort` says whether the clock stopped before all timers that
    /// were due at that instant had fired.
    case advance(to: Instant, isCutShort: Bool)
    /// A timer of the session fired. `missed` is the number of a pendulum's periods that were missed before this firing.
    case firing(signal: String, missed: Int)
    case open(Opening)
    /// The session was closed. `isAgain` says whether the same request then opened a new session of that name.
    case close(isAgain: Bool, source: Source)
    case send(event: String, arguments: [Member], source: Source)
    case goto(state: String, data: [Member], reason: String?, source: Source)
    /// An operator's command to a timer of the session.
    case operate(TimerOperation, source: Source)
    case label([Member], source: Source)
    /// The text of a message, and how long it was to be shown; nil means until the next message.
    case say(String, for: Duration?, source: Source)
    /// The session was moved to another version of its flow. The status, which describes the session after the move, names the
    /// version.
    case move(SessionRecord.Status, source: Source)
    /// The changes from the number (`seq`) `from` on were undone.
    case undo(from: Int, source: Source)
    /// The text of a version of a flow that later sessions play.
    case flowText(name: String, FlowSource)
    /// The outcomes of outputs, which change no session.
    case deliveries
    /// The wall clock was corrected, which changes no session.
    case clock
    /// Not a command, but a consequence of the preceding record of the same call. When that call is repeated, the consequence
    /// happens by itself.
    case consequence
    /// An event was refused with the error of the name `why`, and changed nothing. `isComplete` says whether the journal has
    /// all arguments of the event.
    case refusal(
        event: String, arguments: [Member], source: Source, why: String, isComplete: Bool)
    /// A quarantined session was given up.
    case quarantineGivenUp
    /// Rows of a closed session were erased; the value is the count of these rows.
    case forgotten(Int)

    /// How a session was opened.
    struct Opening {
        /// The flow, its version and its settings.
        var flow: FlowChoice
        var state: String
        var data: [Member]
        let labels: [Member]
        /// The settings that the caller gave; nil if these are the settings of `flow`.
        let settings: [Member]?
        let source: Source
    }

    /// Derives the command of a record. Throws if the record lacks information that is needed to
    /// execute it again.
    init(_ record: SessionRecord) throws(UnreadableRowError) {
        switch record.body {
        case .start(let start): self = .start(start)
        case .advance(let advance):
            self = .advance(to: advance.now, isCutShort: advance.isCutShort)
        case .flowText(let name, let source): self = .flowText(name: name, source)
        case .deliveries: self = .deliveries
        case .clock: self = .clock
        case .quarantineGivenUp: self = .quarantineGivenUp
        case .forgotten(let forgotten): self = .forgotten(forgotten.positions.count)
        case .refusal(let refusal):
            self = .refusal(
                event: refusal.event.name, arguments: refusal.event.arguments,
                source: refusal.source.source, why: refusal.error,
                isComplete: refusal.omittedBytes == 0)
        case .rest(let rest): self = Self.rest(rest)
        case .change(let change): self = try Self.change(change)
        }
    }

    /// The command of a record without a change: the request that was answered, or the countdown that fired.
    private static func rest(_ rest: SessionRecord.Rest) -> RecordedCommand {
        if let answer = rest.answer, let details = answer.details,
            let command = command(of: details, answer.step, rest.status)
        {
            return command
        }
        if let answer = rest.answer?.step, let event = answer.event {
            return .send(event: event.name, arguments: event.arguments, source: answer.source)
        }
        guard !rest.isConsequence, let fired = rest.fired else { return .consequence }
        // A countdown has no periods that it could miss.
        return .firing(signal: fired, missed: 0)
    }

    /// The command of a record of a change: the request or the firing that made the change.
    private static func change(_ change: SessionRecord.Changed) throws(UnreadableRowError)
        -> RecordedCommand
    {
        if change.isConsequence { return .consequence }
        let step = change.recordedStep.step
        switch (step.kind, change.recordedStep.details) {
        case (.open, _):
            guard let to = step.to else { throw UnreadableRowError(why: "to: missing") }
            return .open(
                Opening(
                    flow: FlowChoice(change.status), state: to.state, data: to.data,
                    labels: change.status.labels,
                    settings: change.status.notes?.opening?.settings, source: step.source))
        case (.close, let details):
            return .close(isAgain: details == .again, source: step.source)
        case (.goto, .override(let reason)):
            guard let to = step.to else { throw UnreadableRowError(why: "to: missing") }
            return .goto(state: to.state, data: to.data, reason: reason, source: step.source)
        case (_, let details?):
            if let command = command(of: details, step, change.status) { return command }
        default: break
        }
        guard let event = step.event else { throw UnreadableRowError(why: "event: missing") }
        if step.source.kind == .timer { return .firing(signal: event.name, missed: step.missed) }
        return .send(event: event.name, arguments: event.arguments, source: step.source)
    }

    /// Returns the command that made a step with these details. `status` is the session's status after the step. The result is
    /// nil for the details `override` and `again`, which do not identify the command.
    private static func command(
        of details: Change.Details, _ step: Step, _ status: SessionRecord.Status
    ) -> RecordedCommand? {
        switch details {
        case .override, .again: nil
        case .timer(let operation): .operate(operation, source: step.source)
        case .labels(let labels): .label(labels, source: step.source)
        case .say(let text, let length): .say(text, for: length, source: step.source)
        case .undo(let from, _): .undo(from: from, source: step.source)
        case .move: .move(status, source: step.source)
        }
    }
}

extension Sessions {
    /// Executes a recorded command on the session with the name `name`. `id` is the id of the recorded request. Does nothing
    /// for a command that is not a request to a session.
    func perform(_ command: RecordedCommand, on name: SessionName, id: String?) throws(RequestError)
    {
        if case .open(let opening) = command {
            _ = try open(
                name, recordedFlow(opening.flow), state: opening.state, data: opening.data,
                settings: opening.settings, labels: opening.labels,
                recorded(opening.source, id))
            return
        }
        let session = try session(name)
        switch command {
        case .close(let isAgain, let source):
            try close(session, recorded(source, id), isAgain: isAgain)
        case .send(let event, let arguments, let source):
            _ = try send(
                event, arguments, to: session, recorded(source, id))
        case .goto(let state, let data, let reason, let source):
            _ = try goto(
                state, data, session, recorded(source, id, reason: reason))
        case .operate(let operation, let source):
            try operate(operation, on: session, recorded(source, id))
        case .label(let labels, let source):
            try label(labels, session, recorded(source, id))
        case .say(let text, let length, let source):
            try say(text, for: length, session, recorded(source, id))
        case .undo(let from, let source):
            try undo(after: from - 1, session, recorded(source, id))
        case .move(let status, let source):
            try move(
                session, to: recordedFlow(FlowChoice(status)),
                recorded(source, id))
        default: break
        }
    }

    /// The context of a request that was executed before.
    private func recorded(_ source: Source, _ id: String?, reason: String? = nil) -> RequestContext
    {
        var context = RequestContext(from: source, id: id, reason: reason)
        context.isRecorded = true
        return context
    }

    /// The flow that a recorded session plays.
    private func recordedFlow(_ choice: FlowChoice) throws(RequestError) -> AnyFlow {
        do { return try catalog.flow(choice) } catch {
            guard choice.sourceVersion != nil || !choice.settings.isEmpty else {
                throw .unknownFlow(choice.name, didYouMean: [])
            }
            throw .invalid(.flow(choice.name), argument: "version", why: error.why)
        }
    }
}
