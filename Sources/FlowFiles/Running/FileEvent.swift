internal import GameFlow

/// An event of a `FileFlow`, the flow that a flow file defines.
enum FileEvent: FlowEvent {
    /// An event that the file declares: its index among the events of the file, and the values of its arguments. The values are
    /// in the order of the arguments' declarations.
    case received(Int, [Value])
    /// The signal of a timer.
    case due(FileSignal)

    typealias Signal = FileSignal
    typealias Effect = FileEffect
}

/// The signal of a timer. Its number is the index of the timer's name in `FlowFileDefinition.timerNames`.
struct FileSignal: RawRepresentable, CaseIterable {
    let rawValue: UInt8

    /// Empty, because the file declares the signals and not the type; see `FileFlow.signals`.
    static var allCases: [FileSignal] { [] }
}

/// An effect that a row requests, with the values of its arguments.
struct FileEffect: FlowEffect {
    let name: String
    let arguments: [Member]
}
