internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// One run of a scenario: its first failure, if any, and its coverage.
public struct ScenarioRun {
    /// The line of a scenario whose expectation was not met.
    public struct FailedLine: Equatable, Sendable {
        /// The line's number in the file.
        public let line: Int
        public let expected: String
        /// What was found instead of `expected`.
        public let was: String
    }

    public let scenario: Scenario
    /// The first line that failed; the run ends there. Nil if the scenario succeeded.
    public private(set) var failure: FailedLine?
    /// The transitions, timers, refusals and deferrals that the run exercised.
    public private(set) var coverage: Coverage
    /// The session's labels, in the order in which they were added.
    private var labels: [Member] = []

    /// Runs the scenario. Its flow must have no mistakes (`AnyFlow.mistakes`).
    public init(_ scenario: Scenario) {
        self.scenario = scenario
        coverage = Coverage(scenario.flowWithDefaultSettings)
        var trial: Trial?
        for (line, step) in scenario.steps {
            do throws(MismatchError) { try run(step, &trial) } catch {
                failure = FailedLine(line: line, expected: error.expected, was: error.was)
                return
            }
        }
    }

    /// The greatest number of timers that may fire in one `after` line.
    public static let firingLimit = 1_000_000

    /// The reason why a line failed.
    struct MismatchError: Error {
        let expected: String
        let was: String
    }

    /// Runs one line of the scenario on the session of `openTrial`. Before the first line, `openTrial` is nil. The first line
    /// opens the session. If the first line is not an `open` line, the session is opened in the initial state, and then the
    /// line acts on the session.
    private mutating func run(_ step: Scenario.Instruction, _ openTrial: inout Trial?)
        throws(MismatchError)
    {
        if case .open(let state, let data) = step {
            openTrial = try open(state, data)
            return
        }
        let trial: Trial
        if let openTrial { trial = openTrial } else { trial = try open(nil, []) }
        openTrial = trial
        switch step {
        case .open: break
        case .send(let event, let arguments): try send(event, arguments, trial)
        case .refuse(let event, let arguments, let reason):
            try refuse(event, arguments, reason, trial)
        case .refuseOthers(let exceptions, let reason):
            for event in scenario.flow.events where !exceptions.contains(event.name) {
                for sample in event.samples { try refuse(event.name, sample, reason, trial) }
            }
        case .after(let time):
            trial.clearSteps()
            let start = trial.clock.now
            let advance = trial.clock.advance(by: time, limit: Self.firingLimit)
            try finishLine(trial)
            guard trial.clock.now - start == time, !advance.isCutShort else {
                throw MismatchError(
                    expected: "the clock advances by \(DurationText.write(time))",
                    was: advance.isCutShort
                        ? "more than \(Self.firingLimit) timers fired before"
                        : "the clock reached its last instant")
            }
        case .operate(let operation): try operate(operation, trial)
        case .goto(let state, let data): try goto(state, data, trial)
        case .undo(let clocks): try undo(trial, clocks)
        case .label(let changes): try label(changes)
        case .say(let text, let duration): trial.say(text, for: duration)
        case .expect(.label(let name, let value)):
            try check(.label(name, value), .label(name, labels[name]?.text))
        case .expect(.said(let text)):
            try check(.said(text), .said(Self.shownText(trial)))
        case .expect(let expectation): try expectation.check(trial)
        }
    }

    /// Ends a line that may have changed the session. Fires the timers that are already due, such as timers of zero duration.
    /// Adds the line's steps to the coverage. Throws if an invariant of the flow did not hold after a step.
    private mutating func finishLine(_ trial: Trial) throws(MismatchError) {
        trial.clock.fireDueTimers()
        coverage.add(trial.steps)
        try Self.expectInvariants(trial)
    }

    /// Throws if an invariant of the flow did not hold after a step of the session.
    private static func expectInvariants(_ trial: Trial) throws(MismatchError) {
        guard let (sentence, place) = trial.brokenInvariant else { return }
        throw MismatchError(
            expected: "the invariant holds: \(sentence)",
            was: "broken in \(ScenarioText.named(place.state, place.data))")
    }

    /// The text of the message that the session's screens show now; nil if they show no message.
    private static func shownText(_ trial: Trial) -> String? {
        guard let message = trial.message, message.isShown(at: trial.clock.now) else { return nil }
        return message.text
    }

    /// Throws unless a label or the message is as expected. `was` is the actual one, in the form of an expectation.
    private func check(_ expected: Scenario.Expectation, _ was: Scenario.Expectation)
        throws(MismatchError)
    {
        let (expected, was) = (expected.noteText, was.noteText)
        guard expected == was else { throw MismatchError(expected: expected, was: was) }
    }

    private mutating func undo(_ trial: Trial, _ clocks: UndoClocks) throws(MismatchError) {
        trial.clearSteps()
        let wasUndone: Bool
        do throws(Reason) { wasUndone = try trial.undo(clocks) } catch {
            throw MismatchError(expected: "a step is undone", was: error.sentence)
        }
        guard wasUndone else {
            throw MismatchError(expected: "a step is undone", was: "no step is left to undo")
        }
        try finishLine(trial)
    }

    private mutating func label(_ changes: [Member]) throws(MismatchError) {
        for change in changes {
            labels.removeAll { $0.name == change.name }
            if change.value.text != "" { labels.append(change) }
        }
        guard labels.count <= NoteLimits.labels else {
            throw MismatchError(
                expected: "at most \(NoteLimits.labels) labels", was: "\(labels.count)")
        }
    }

    private mutating func open(_ state: String?, _ data: [Member]) throws(MismatchError) -> Trial {
        let words = TextWords.write(data)
        let expected = "a session in \(state ?? scenario.flow.initial) \(words)"
        if let state, scenario.flow.finals.contains(state) {
            throw MismatchError(expected: expected, was: "a session cannot begin in a final state")
        }
        let trial: Trial
        do throws(Reason) {
            // In a dry run, `undo` would not work, and invariants would not be checked.
            trial = try Trial(
                opening: scenario.flow, state, data, isDryRun: false, seed: scenario.seed,
                zone: scenario.zone)
        } catch {
            throw MismatchError(expected: expected, was: error.sentence)
        }
        try finishLine(trial)
        return trial
    }

    private mutating func send(_ event: String, _ arguments: [Member], _ trial: Trial)
        throws(MismatchError)
    {
        trial.clearSteps()
        let from = trial.machine.place.state
        if let refusal = trial.undoable({ trial.send(event, arguments) }) {
            let accepts =
                refusal == .noTransition
                ? "; it accepts \(ScenarioText.list(trial.machine.accepts))" : ""
            throw MismatchError(
                expected: "\(event) is taken",
                was: "\(from) refused it: \(refusal.sentence)\(accepts)")
        }
        try finishLine(trial)
    }

    private mutating func refuse(
        _ event: String, _ arguments: [Member], _ reason: String, _ trial: Trial
    ) throws(MismatchError) {
        let from = trial.machine.place.state
        let before = trial.situation
        let expected = "\(ScenarioText.named(event, arguments)) is refused with \(reason)"
        guard let refusal = trial.send(event, arguments) else {
            let now = trial.machine.place.state
            throw MismatchError(
                expected: expected,
                was: trial.situation == before ? "\(from) took it" : "\(from) took it, now \(now)")
        }
        guard refusal.name == reason else {
            throw MismatchError(expected: expected, was: "refused with \(refusal.sentence)")
        }
        coverage.addRefusal(of: event, arguments, in: from)
        try finishLine(trial)
    }

    private mutating func goto(_ state: String, _ data: [Member], _ trial: Trial)
        throws(MismatchError)
    {
        trial.clearSteps()
        let refusal = trial.undoable { () -> Reason? in
            do throws(Reason) {
                try trial.machine.goto(state, data, from: .trial)
                return nil
            } catch { return error }
        }
        if let refusal {
            throw MismatchError(
                expected: "goto \(ScenarioText.named(state, data))", was: refusal.sentence)
        }
        try finishLine(trial)
    }

    private mutating func operate(_ operation: TimerOperation, _ trial: Trial)
        throws(MismatchError)
    {
        trial.clearSteps()
        let failure = trial.undoable { () -> TimerOperation.OperationError? in
            do throws(TimerOperation.OperationError) {
                try trial.operate(operation)
                return nil
            } catch { return error }
        }
        guard let failure else { return try finishLine(trial) }
        if case .noTimer(let names) = failure {
            throw MismatchError(
                expected: "a timer \(operation.fires)",
                was: "\(trial.machine.place.state) has \(ScenarioText.list(names))")
        }
        throw MismatchError(
            expected: "\(operation.action.rawValue) \(operation.fires)", was: failure.sentence)
    }
}

/// Writes parts of a session as a scenario file writes them.
enum ScenarioText {
    static func list(_ names: [String]) -> String {
        names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    /// A state with its data, or an event or effect with its arguments: `chooseEpisode episode=1`.
    static func named(_ name: String, _ members: [Member], escapesForTerminal: Bool = false)
        -> String
    {
        let words = TextWords.write(members, escapesForTerminal: escapesForTerminal)
        return members.isEmpty ? name : "\(name) \(words)"
    }

    static func timer(_ fires: String, _ left: Duration, _ isPaused: Bool) -> String {
        "timer \(fires) \(DurationText.writeSigned(left))" + (isPaused ? " paused" : "")
    }
}

extension Scenario.Expectation {
    /// The expectation of a label or a message as text.
    fileprivate var noteText: String {
        switch self {
        case .label(let name, let value?): "label \(name) \(value)"
        case .label(let name, nil): "no label \(name)"
        case .said(let text?): "said \(text)"
        default: "no message"  // only `.said(nil)`
        }
    }

    /// Throws if the session is not as expected.
    func check(_ trial: Trial) throws(ScenarioRun.MismatchError) {
        let (expected, was) = expectedAndActual(trial)
        guard expected == was else {
            throw ScenarioRun.MismatchError(expected: expected, was: was)
        }
    }

    /// The expected and the actual value as texts, which are equal if the expectation is met.
    private func expectedAndActual(_ trial: Trial) -> (expected: String, was: String) {
        let machine = trial.machine!  // set by the initializer of `Trial`
        switch self {
        case .state(let state, let data):
            let record = machine.place
            let isMet =
                record.state == state && data.allSatisfy { record.data[$0.name] == $0.value }
            let expected = ScenarioText.named(state, data)
            return (expected, isMet ? expected : ScenarioText.named(record.state, record.data))
        case .timer(let fires, let left, let isPaused):
            return (ScenarioText.timer(fires, left, isPaused), timer(fires, machine))
        case .noTimer(let fires):
            let isSet = machine.timer(fires) != nil
            return ("no timer \(fires)", isSet ? timer(fires, machine) : "no timer \(fires)")
        case .effects(let names):
            let effects = trial.steps.flatMap { $0.effects.map(\.name) }
            return ("effects \(ScenarioText.list(names))", "effects \(ScenarioText.list(effects))")
        case .effect(let name, let arguments):
            let effects = trial.steps.flatMap(\.effects).map {
                ScenarioText.named($0.name, $0.arguments)
            }
            return (
                "effect \(ScenarioText.named(name, arguments))",
                "effect \(ScenarioText.list(effects))"
            )
        case .deferred(let count): return ("\(count) deferred", "\(machine.deferredCount) deferred")
        case .accepts(let names):
            let accepted = machine.accepts
            let expected = machine.flow.events.map(\.name).filter(names.contains)
            return (
                "\(ScenarioText.list(expected)) accepted",
                "\(ScenarioText.list(accepted)) accepted"
            )
        // `ScenarioRun.run` checks labels and messages, because the trial does not have them.
        case .label, .said: return ("", "")
        }
    }

    /// The timer that sends the signal `fires`, as text. If the state lacks this timer, names the state's timers instead.
    private func timer(_ fires: String, _ machine: AnyMachine) -> String {
        guard let info = machine.timer(fires)?.info else {
            return
                "\(machine.place.state) has \(ScenarioText.list(machine.liveTimers.map(\.fires)))"
        }
        let time = info.kind == .stopwatch ? info.spent : info.remaining
        return ScenarioText.timer(fires, time.roundedUp, info.isPaused)
    }
}
