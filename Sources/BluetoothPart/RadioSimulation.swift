package import Bluetooth
package import Parts
package import Sessions
import Support
package import Timers

/// Advances the time of a simulated radio together with the virtual clock of the sessions. The radio has a clock of its own,
/// because its timers are not timers of sessions.
package final class RadioSimulationDriver: SimulatedParticipant {
    /// The clock of the radio.
    package let clock: VirtualClock
    /// Whether events wait for delivery.
    package var hasEvents: () -> Bool = { false }
    /// Delivers the waiting events to their sessions. Called when the sessions' clock has reached the time of the radio.
    package var deliverEvents: () -> Void = {}

    package init(startingAt start: Instant) { clock = VirtualClock(startingAt: start) }

    /// Advances the radio's clock to `instant`. Stops earlier if an event for a session waits, or if `steps` timers of the
    /// radio have fired. Subtracts the number of fired timers from `steps`.
    package func run(until instant: Instant, steps: inout Int) -> ParticipantStop {
        while !hasEvents() {
            guard let next = clock.timerQueue.next, next <= instant else {
                clock.advance(by: instant - clock.now)
                return .reachedInstant
            }
            if steps == 0 { return .outOfSteps(clock.now) }
            steps -= 1
            // Fires only one timer. If it causes an event, this event must be delivered before the next timer fires.
            clock.advanceToNext(limit: 1)
        }
        // If an event was waiting before this call, the radio's clock can be past `instant`. The sessions then reach
        // `instant` first, and the event is delivered in a later step.
        return clock.now <= instant ? .event(clock.now) : .reachedInstant
    }

    /// Called by the sessions when their clock has reached the instant at which `run` stopped because of an event.
    package func sendEvents() { deliverEvents() }

    /// Runs the timers that are due now.
    func runDueTimers() { clock.advance(by: .zero) }
}

/// Reads the scenario of a simulated radio. Errors have the same form as errors of a configuration.
package enum RadioScenarioFile {
    package static func read(_ path: String) throws(RadioScenarioFileError) -> RadioScenario {
        let bytes: [UInt8]
        do throws(ConfigurationError) {
            bytes = try ConfigurationFile.contents(of: path)
        } catch {
            throw RadioScenarioFileError(errors: [error])
        }
        let (scenario, errors) = RadioScenarioReader.read(bytes)
        guard errors.isEmpty else {
            throw RadioScenarioFileError(
                errors: errors.map {
                    ConfigurationError(
                        path: path, line: $0.line, column: $0.column, why: $0.why)
                })
        }
        return scenario
    }
}

/// All errors in a scenario file.
package struct RadioScenarioFileError: DescribedError {
    package let errors: [ConfigurationError]
    package var why: String { errors.map(\.sentence).joined(separator: "\n") }
}
