internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// One run of a scenario: its first failure, if any, and its coverage.
public struct ScenarioRun {
    /// The first line whose expectation was not met.
    public struct FailedLine: Equatable, Sendable {
        public let line: Int
        public let expected: String
        public let was: String
    }

    public let scenario: Scenario
    public private(set) var failure: FailedLine?
    /// What the run exercised.
    public private(set) var coverage: Coverage

    public init(_ scenario: Scenario) {
        self.scenario = scenario
        coverage = Coverage(scenario.defaultFlow)
        var trial: Trial?
        for (line, step) in scenario.steps {
            do throws(MismatchError) { try run(step, &trial) } catch {
                failure = FailedLine(line: line, expected: error.expected, was: error.was)
                return
            }
        }
    }

    /// The greatest number of timers that may fire in one `after`.
    public static let firingLimit = 1_000_000

    struct MismatchError: Error {
        let expected: String
        let was: String
    }

    private mutating func run(_ step: Scenario.Step, _ present: inout Trial?) throws(MismatchError)
    {
        if case .open(let state, let data) = step {
            present = try open(state, data)
            return
        }
        let trial: Trial
        if let present { trial = present } else { trial = try open(nil, []) }
        present = trial
        switch step {
        case .open: break
        case .send(let event, let arguments): try send(event, arguments, trial)
        case .refuse(let event, let arguments, let reason):
            try refuse(event, arguments, reason, trial)
        case .refuseOthers(let taken, let reason):
            for event in scenario.flow.events where !taken.contains(event.name) {
                for sample in event.samples { try refuse(event.name, sample, reason, trial) }
            }
        case .after(let time):
            trial.clearSteps()
            let start = trial.time.now
            let step = trial.time.advance(by: time, limit: Self.firingLimit)
            coverage.add(trial.steps)
            guard trial.time.now - start == time, !step.isCutShort else {
                throw MismatchError(
                    expected: "the clock advances by \(DurationText.write(time))",
                    was: step.isCutShort
                        ? "more than \(Self.firingLimit) timers fired before"
                        : "the clock reached its last instant")
            }
        case .operate(let operation): try operate(operation, trial)
        case .goto(let state, let data): try goto(state, data, trial)
        case .expect(let expectation): try expectation.check(trial)
        }
    }

    private func open(_ state: String?, _ data: [Member]) throws(MismatchError) -> Trial {
        let words = TextWords.write(data)
        let expected = "a session in \(state ?? scenario.flow.initial) \(words)"
        if let state, scenario.flow.finals.contains(state) {
            throw MismatchError(expected: expected, was: "a session cannot begin in a final state")
        }
        do throws(Reason) {
            return try Trial(opening: scenario.flow, state, data, isRehearsal: false)
        } catch {
            throw MismatchError(expected: expected, was: error.sentence)
        }
    }

    private mutating func send(_ event: String, _ arguments: [Member], _ trial: Trial)
        throws(MismatchError)
    {
        trial.clearSteps()
        let from = trial.machine.place.state
        if let refusal = trial.refusal(of: event, arguments) {
            let accepts =
                refusal == .noTransition
                ? "; it accepts \(ScenarioText.list(trial.machine.accepts))" : ""
            throw MismatchError(
                expected: "\(event) is taken",
                was: "\(from) refused it: \(refusal.sentence)\(accepts)")
        }
        coverage.add(trial.steps)
    }

    private mutating func refuse(
        _ event: String, _ arguments: [Member], _ reason: String, _ trial: Trial
    ) throws(MismatchError) {
        let from = trial.machine.place.state
        let before = trial.situation
        let expected = "\(ScenarioText.named(event, arguments)) is refused with \(reason)"
        guard let refusal = trial.refusal(of: event, arguments) else {
            let now = trial.machine.place.state
            throw MismatchError(
                expected: expected,
                was: trial.situation == before ? "\(from) took it" : "\(from) took it, now \(now)")
        }
        guard refusal.name == reason else {
            throw MismatchError(expected: expected, was: "refused with \(refusal.sentence)")
        }
        coverage.refused(event, arguments, in: from)
    }

    private mutating func goto(_ state: String, _ data: [Member], _ trial: Trial)
        throws(MismatchError)
    {
        trial.clearSteps()
        do throws(Reason) {
            try trial.machine.goto(state, data, from: .trial)
        } catch {
            throw MismatchError(
                expected: "goto \(ScenarioText.named(state, data))", was: error.sentence)
        }
        coverage.add(trial.steps)
    }

    private func operate(_ operation: TimerOperation, _ trial: Trial) throws(MismatchError) {
        let fires = operation.fires
        guard let timer = trial.machine.timer(fires) else {
            throw MismatchError(
                expected: "a timer \(fires)",
                was: "\(trial.machine.place.state) has "
                    + ScenarioText.list(trial.machine.liveTimers.map(\.fires)))
        }
        do throws(TimerOperation.OperationError) {
            _ = try operation.apply(to: timer, on: trial.time.timerQueue)
        } catch {
            let was =
                switch error {
                case .noEnd: TimerOperation.OperationError.noEndSentence
                case .tooLong: "too long"
                }
            throw MismatchError(expected: "\(fires) is extended", was: was)
        }
    }
}

/// Parts of a session, in the words of a scenario file.
enum ScenarioText {
    static func list(_ names: [String]) -> String {
        names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    static func named(_ name: String, _ members: [Member]) -> String {
        members.isEmpty ? name : "\(name) \(TextWords.write(members))"
    }

    static func timer(_ fires: String, _ left: Duration, _ isPaused: Bool) -> String {
        "timer \(fires) \(DurationText.write(left))" + (isPaused ? " paused" : "")
    }
}

extension Scenario.Expectation {
    /// Throws if the session is not as expected.
    func check(_ trial: Trial) throws(ScenarioRun.MismatchError) {
        let (expected, was) = both(trial)
        guard expected == was else {
            throw ScenarioRun.MismatchError(expected: expected, was: was)
        }
    }

    /// The expected and the actual value in the same form; equal if the expectation is met.
    private func both(_ trial: Trial) -> (expected: String, was: String) {
        let machine = trial.machine!  // set by the initializer
        switch self {
        case .state(let state, let data):
            let record = machine.place
            let holds =
                record.state == state && data.allSatisfy { record.data[$0.name] == $0.value }
            let expected = ScenarioText.named(state, data)
            return (expected, holds ? expected : ScenarioText.named(record.state, record.data))
        case .timer(let fires, let left, let isPaused):
            return (ScenarioText.timer(fires, left, isPaused), timer(fires, machine))
        case .noTimer(let fires):
            let isThere = machine.timer(fires) != nil
            return ("no timer \(fires)", isThere ? timer(fires, machine) : "no timer \(fires)")
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
        }
    }

    private func timer(_ fires: String, _ machine: AnyMachine) -> String {
        guard let info = machine.timer(fires)?.info else {
            return
                "\(machine.place.state) has \(ScenarioText.list(machine.liveTimers.map(\.fires)))"
        }
        return ScenarioText.timer(fires, info.remaining.roundedUp, info.isPaused)
    }
}
