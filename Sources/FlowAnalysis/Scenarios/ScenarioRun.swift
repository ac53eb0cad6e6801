internal import GameFlow
internal import JSON
internal import Sessions
internal import Support
internal import Timers

/// One run of a scenario: what came of it, and what it went through.
public struct ScenarioRun {
    /// The first line that did not come out as it says.
    public struct Failure: Equatable, Sendable {
        public let line: Int
        public let expected: String
        public let was: String
    }

    public let scenario: Scenario
    public private(set) var failure: Failure?
    /// What was exercised on the way.
    public private(set) var coverage: Coverage

    public init(_ scenario: Scenario) {
        self.scenario = scenario
        coverage = Coverage(scenario.flow)
        var trial: Trial?
        for (line, step) in scenario.steps {
            do throws(Mismatch) { try run(step, &trial) } catch {
                failure = Failure(line: line, expected: error.expected, was: error.was)
                return
            }
        }
    }

    /// How many timers may fire in one `after`.
    public static let firings = 1_000_000

    struct Mismatch: Error {
        let expected: String
        let was: String
    }

    private mutating func run(_ step: Scenario.Step, _ present: inout Trial?) throws(Mismatch) {
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
            trial.begin()
            let start = trial.time.now
            let step = trial.time.advance(by: time, limit: Self.firings)
            coverage.take(trial.steps)
            guard trial.time.now - start == time, !step.isCutShort else {
                throw Mismatch(
                    expected: "\(DurationText.write(time)) go by",
                    was: step.isCutShort
                        ? "more than \(Self.firings) timers fired on the way"
                        : "the clock is at its end")
            }
        case .operate(let operation): try operate(operation, trial)
        case .goto(let state, let data): try goto(state, data, trial)
        case .expect(let expectation): try expectation.hold(in: trial)
        }
    }

    private func open(_ state: String?, _ data: [Member]) throws(Mismatch) -> Trial {
        let words = TextWords.write(data)
        let expected = "a session in \(state ?? scenario.flow.initial) \(words)"
        if let state, scenario.flow.finals.contains(state) {
            throw Mismatch(expected: expected, was: "a session cannot start in a final state")
        }
        do throws(Reason) {
            return try Trial(opening: scenario.flow, state, data, isRehearsal: false)
        } catch {
            throw Mismatch(expected: expected, was: error.sentence)
        }
    }

    private mutating func send(_ event: String, _ arguments: [Member], _ trial: Trial)
        throws(Mismatch)
    {
        trial.begin()
        let from = trial.machine.place.state
        if let refusal = trial.refusal(of: event, arguments) {
            let accepts =
                refusal == .noTransition
                ? "; it accepts \(Expectations.list(trial.machine.accepts))" : ""
            throw Mismatch(
                expected: "\(event) is taken",
                was: "\(from) refused it: \(refusal.sentence)\(accepts)")
        }
        coverage.take(trial.steps)
    }

    private mutating func refuse(
        _ event: String, _ arguments: [Member], _ reason: String, _ trial: Trial
    ) throws(Mismatch) {
        let from = trial.machine.place.state
        let before = trial.situation
        let expected = "\(Expectations.place(event, arguments)) is refused with \(reason)"
        guard let refusal = trial.refusal(of: event, arguments) else {
            let now = trial.machine.place.state
            throw Mismatch(
                expected: expected,
                was: trial.situation == before ? "\(from) took it" : "\(from) took it, now \(now)")
        }
        guard refusal.name == reason else {
            throw Mismatch(expected: expected, was: "refused with \(refusal.sentence)")
        }
        coverage.refused(event, arguments, in: from)
    }

    private mutating func goto(_ state: String, _ data: [Member], _ trial: Trial)
        throws(Mismatch)
    {
        trial.begin()
        do throws(Reason) {
            try trial.machine.goto(state, data, from: .trial)
        } catch {
            throw Mismatch(
                expected: "goto \(Expectations.place(state, data))", was: error.sentence)
        }
        coverage.take(trial.steps)
    }

    private func operate(_ operation: TimerOperation, _ trial: Trial) throws(Mismatch) {
        let fires = operation.fires
        guard let timer = trial.machine.timer(fires) else {
            throw Mismatch(
                expected: "a timer \(fires)",
                was: "\(trial.machine.place.state) has "
                    + Expectations.list(trial.machine.liveTimers.map(\.fires)))
        }
        do throws(TimerOperation.Failure) {
            _ = try operation.apply(to: timer, on: trial.time.timerQueue)
        } catch {
            let was =
                switch error {
                case .noEnd: TimerOperation.Failure.noEndSentence
                case .tooLong: "too long"
                }
            throw Mismatch(expected: "\(fires) is extended", was: was)
        }
    }
}
