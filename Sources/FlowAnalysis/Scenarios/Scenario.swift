public import GameFlow
public import Support
package import Timers

/// A test of a flow: steps to run in virtual time, and expectations. `ScenarioReader` reads scenarios from a file, and
/// `ScenarioRun` runs one.
public struct Scenario {
    public let title: String
    /// The flow, with the scenario's settings.
    public internal(set) var flow: AnyFlow
    /// The same flow with its default settings.
    public let flowWithDefaultSettings: AnyFlow
    /// The file's name as the caller gave it.
    public let file: String
    /// The number of the scenario's first line in the file.
    public let line: Int
    /// The seed from which the session draws random values.
    public internal(set) var seed: UInt64 = 1
    /// The zone of the times of day at which timers fire. The scenario begins at 1970-01-01 00:00 in it.
    package internal(set) var zone = ClockZone.utc
    /// The steps, each with the number of its line in the file.
    public internal(set) var steps: [(line: Int, step: Instruction)] = []

    /// One line of the scenario that acts on the session or checks it.
    public enum Instruction {
        /// Open a session in a state, or in the flow's initial state if `state` is nil.
        case open(state: String?, data: [Member])
        /// Send an event that must be taken or deferred.
        case send(_ event: String, _ arguments: [Member])
        /// Send an event that must be refused with that reason.
        case refuse(_ event: String, _ arguments: [Member], reason: String)
        /// Send every event except the events in `than`, each with every sample of its arguments that the flow declares. The
        /// session must refuse all of them with the reason `reason`.
        case refuseOthers(than: [String], reason: String)
        /// Advance the clock, and fire the timers that are due.
        case after(Duration)
        /// Pause, resume, restart, extend, shorten or set a timer, as an operator does.
        case operate(TimerOperation)
        /// Enter a state without an event, as an operator does.
        case goto(_ state: String, _ data: [Member])
        /// Undo the newest request or firing that changed the session. The timers stand still or run, as in the daemon.
        case undo(UndoClocks)
        /// Set labels of the session; an empty value removes the label.
        case label([Member])
        /// Show a message on the session's screens, for the duration or, if it is nil, until the next message. An empty text
        /// removes the message.
        case say(_ text: String, for: Duration?)
        case expect(Expectation)
    }

    /// The expectation of an `expect` line about the session.
    public enum Expectation {
        /// The state, and the values of some of its data.
        case state(_ name: String, data: [Member])
        /// A timer that is set, with the time that it has left.
        case timer(_ signal: String, left: Duration, isPaused: Bool)
        /// That no timer which sends the signal is set.
        case noTimer(_ signal: String)
        /// The names of all effects since the most recent line that acts on the session or its clock, in order.
        case effects([String])
        /// The only effect since the most recent line that acts on the session or its clock, with its arguments.
        case effect(_ name: String, _ arguments: [Member])
        /// How many events are deferred.
        case deferred(Int)
        /// The names of all events that the session accepts.
        case accepts([String])
        /// The value of a label; nil if the session does not have it.
        case label(_ name: String, _ value: String?)
        /// The message that the session's screens show; nil if there is none.
        case said(_ text: String?)
    }
}

/// An error in a scenario file, with its location and a hint.
public struct ScenarioError: DescribedError, Equatable, Sendable {
    public let file: String
    /// The line, counted from 1.
    public let line: Int
    /// The column, counted in characters from 1.
    public let column: Int
    public let problem: String
    /// What to write instead; may be empty.
    public let hint: String

    public var why: String { problem + (hint.isEmpty ? "" : "; \(hint)") }
    /// `FILE:LINE:COLUMN: PROBLEM; HINT`
    public var sentence: String {
        "\(file):\(line):\(column): \(why)"
    }
}
