internal import GameFlow
internal import JSON
internal import Support
internal import Timers

/// Holding what a scenario expects against what is.
enum Expectations {
    static func list(_ names: [String]) -> String {
        names.isEmpty ? "nothing" : names.joined(separator: ", ")
    }

    static func place(_ state: String, _ data: [Member]) -> String {
        data.isEmpty ? state : "\(state) \(TextWords.write(data))"
    }

    static func timer(_ fires: String, _ left: Duration, _ isPaused: Bool) -> String {
        "timer \(fires) \(DurationText.write(left))" + (isPaused ? " paused" : "")
    }
}

extension Scenario.Expectation {
    func hold(in trial: Trial) throws(ScenarioRun.Mismatch) {
        let (expected, was) = both(trial)
        guard expected == was else {
            throw ScenarioRun.Mismatch(expected: expected, was: was)
        }
    }

    /// What is expected and what is, in the same words.
    private func both(_ trial: Trial) -> (expected: String, was: String) {
        let machine = trial.machine!  // made before anything is expected of it
        switch self {
        case .state(let state, let data):
            let place = machine.place
            let holds = place.state == state && data.allSatisfy { place.data[$0.name] == $0.value }
            let expected = Expectations.place(state, data)
            return (expected, holds ? expected : Expectations.place(place.state, place.data))
        case .timer(let fires, let left, let isPaused):
            return (Expectations.timer(fires, left, isPaused), timer(fires, machine))
        case .noTimer(let fires):
            let isThere = machine.timer(fires) != nil
            return ("no timer \(fires)", isThere ? timer(fires, machine) : "no timer \(fires)")
        case .effects(let names):
            let asked = trial.steps.flatMap { $0.effects.map(\.name) }
            return ("effects \(Expectations.list(names))", "effects \(Expectations.list(asked))")
        case .effect(let name, let arguments):
            let asked = trial.steps.flatMap(\.effects).map {
                Expectations.place($0.name, $0.arguments)
            }
            return (
                "effect \(Expectations.place(name, arguments))",
                "effect \(Expectations.list(asked))"
            )
        case .deferred(let count): return ("\(count) deferred", "\(machine.deferredCount) deferred")
        case .accepts(let names):
            let accepted = machine.accepts
            let expected = machine.flow.events.map(\.name).filter(names.contains)
            return (
                "\(Expectations.list(expected)) accepted",
                "\(Expectations.list(accepted)) accepted"
            )
        }
    }

    private func timer(_ fires: String, _ machine: AnyMachine) -> String {
        guard let info = machine.timer(fires)?.info else {
            return
                "\(machine.place.state) has \(Expectations.list(machine.liveTimers.map(\.fires)))"
        }
        return Expectations.timer(fires, info.remaining.roundedUp, info.isPaused)
    }
}
