public import GameFlow
public import Sessions
internal import Timers

/// A course of events with what is expected of it, to be run in virtual time.
public struct Scenario {
    public let title: String
    public let flow: AnyFlow
    /// The file's name, as it was given.
    public let file: String
    /// The line on which it begins.
    public let line: Int
    public internal(set) var steps: [(line: Int, step: Step)] = []

    /// One line of it.
    public enum Step {
        /// A session other than the flow's initial one begins.
        case open(state: String?, data: [Member])
        /// An event that is taken, or deferred.
        case send(String, [Member])
        /// An event that is refused, and with what.
        case refuse(String, [Member], reason: String)
        /// All events but these, each with each of its samples, are refused.
        case refuseOthers(than: [String], reason: String)
        case after(Duration)
        case operate(TimerOperation)
        case goto(String, [Member])
        case expect(Expectation)
    }

    /// What a line says of the present.
    public enum Expectation {
        /// The state, and those of its data that are named.
        case state(String, data: [Member])
        case timer(String, left: Duration, isPaused: Bool)
        case noTimer(String)
        /// The names of what was asked for since the last step that did something, in order.
        case effects([String])
        /// The one thing that was asked for, with its arguments.
        case effect(String, [Member])
        /// How many events wait.
        case deferred(Int)
        case accepts([String])
    }
}

/// What is wrong with a scenario file, where, and what may have been meant.
public struct ScenarioError: Error, Equatable, Sendable {
    public let file: String
    public let line: Int
    public let column: Int
    public let what: String
    public let hint: String

    /// `FILE:LINE:COLUMN: what; hint`
    public var sentence: String {
        "\(file):\(line):\(column): \(what)" + (hint.isEmpty ? "" : "; \(hint)")
    }
}
