import Bluetooth
import Sessions
import Timers

/// Advances the time of a simulated radio on the virtual clock. The radio has its own timeline,
/// because its timers are not timers of sessions; it is advanced together with theirs.
final class RadioSimulationDriver: SimulatedParticipant {
    let time: VirtualClock
    /// Whether events wait for delivery.
    var hasSomething: () -> Bool = { false }
    var hand: () -> Void = {}

    init(startingAt start: Instant) { time = VirtualClock(startingAt: start) }

    func go(to instant: Instant, steps: inout Int) -> ParticipantStop {
        while !hasSomething() {
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

    func handOver() { hand() }

    /// Executes what is due now.
    func settle() { time.advance(by: .zero) }
}

/// Reads the file that describes a simulated radio. Mistakes are reported like those of a
/// configuration.
enum ScenarioFile {
    /// All mistakes in the file.
    struct Unusable: Error {
        let mistakes: [ConfigurationFile.Mistake]
        var sentences: [String] { mistakes.map(\.sentence) }
    }

    static func read(_ path: String) throws(Unusable) -> RadioScenario {
        let bytes: [UInt8]
        do throws(ConfigurationFile.Mistake) {
            bytes = try ConfigurationFile.contents(of: path)
        } catch {
            throw Unusable(mistakes: [error])
        }
        let (scenario, mistakes) = RadioScenarioReader.read(bytes)
        guard mistakes.isEmpty else {
            throw Unusable(
                mistakes: mistakes.map {
                    ConfigurationFile.Mistake(
                        path: path, line: $0.line, column: $0.column, why: $0.why)
                })
        }
        return scenario
    }
}
