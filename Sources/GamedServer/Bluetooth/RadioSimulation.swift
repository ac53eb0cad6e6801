import Bluetooth
import Sessions
import Support
import Timers

/// Advances the time of a simulated radio together with the virtual clock of the sessions. The radio has a clock of its own,
/// because its timers are not timers of sessions.
final class RadioSimulationDriver: SimulatedParticipant {
    /// The clock of the radio.
    let time: VirtualClock
    /// Whether events wait for delivery.
    var hasEvents: () -> Bool = { false }
    /// Called when the sessions have reached the time of the radio.
    var onDelivery: () -> Void = {}

    init(startingAt start: Instant) { time = VirtualClock(startingAt: start) }

    func run(until instant: Instant, steps: inout Int) -> ParticipantStop {
        while !hasEvents() {
            guard let next = time.timerQueue.next, next <= instant else {
                time.advance(by: instant - time.now)
                return .arrived
            }
            if steps == 0 { return .outOfSteps(time.now) }
            steps -= 1
            time.advanceToNext(limit: 1)
        }
        // An event that was already waiting can be later than `instant`.
        return time.now <= instant ? .event(time.now) : .arrived
    }

    func sendEvents() { onDelivery() }

    /// Runs the timers that are due now.
    func runDueTimers() { time.advance(by: .zero) }
}

/// Reads the scenario of a simulated radio. Errors have the same form as errors of a configuration.
enum ScenarioFile {
    static func read(_ path: String) throws(ScenarioFileError) -> RadioScenario {
        let bytes: [UInt8]
        do throws(ConfigurationFile.ConfigurationError) {
            bytes = try ConfigurationFile.contents(of: path)
        } catch {
            throw ScenarioFileError(errors: [error])
        }
        let (scenario, errors) = RadioScenarioReader.read(bytes)
        guard errors.isEmpty else {
            throw ScenarioFileError(
                errors: errors.map {
                    ConfigurationFile.ConfigurationError(
                        path: path, line: $0.line, column: $0.column, why: $0.why)
                })
        }
        return scenario
    }
}

/// All errors in the file.
struct ScenarioFileError: DescribedError {
    let errors: [ConfigurationFile.ConfigurationError]
    var why: String { errors.map(\.sentence).joined(separator: "\n") }
}
