import Bluetooth
import Sessions
import Support
import Timers

/// Advances the time of a simulated radio on the virtual clock. The radio has its own clock,
/// because its timers are not timers of sessions; it is advanced together with theirs.
final class RadioSimulationDriver: SimulatedParticipant {
    let time: VirtualClock
    /// Whether events wait for delivery.
    var hasEvents: () -> Bool = { false }
    /// Called when the sessions have reached the time of the radio.
    var onDelivery: () -> Void = {}

    init(startingAt start: Instant) { time = VirtualClock(startingAt: start) }

    func go(to instant: Instant, steps: inout Int) -> ParticipantStop {
        while !hasEvents() {
            guard let next = time.timerQueue.next, next <= instant else {
                time.advance(by: instant - time.now)
                return .arrived
            }
            if steps == 0 { return .enough(time.now) }
            steps -= 1
            time.advanceToNext(limit: 1)
        }
        // An event from before may be later than this instant.
        return time.now <= instant ? .something(time.now) : .arrived
    }

    func handOver() { onDelivery() }

    /// Runs the timers that are due now.
    func runDueTimers() { time.advance(by: .zero) }
}

/// Reads the scenario of a simulated radio. Its errors have the form of those of a configuration.
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
