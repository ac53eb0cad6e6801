public import GameFlow
public import Support

/// The flow that a scenario names: a flow that is compiled into the program, or a flow file.
struct FlowReference {
    /// The flow's name or the file's path, as it is written in the scenario.
    let word: String
    let flowWithDefaultSettings: AnyFlow
    /// The flow with the settings of the `set` lines that were read so far.
    var flow: AnyFlow

    init(_ word: String, _ flow: AnyFlow) {
        (self.word, flowWithDefaultSettings, self.flow) = (word, flow, flow)
    }
}

/// Reads a flow file that a scenario names. If the scenario gives an absolute path, `path` is this path. If the scenario gives
/// a relative path, `path` is the folder of the scenario file, followed by the relative path.
public typealias FlowFileReader = (_ path: String) throws(FlowFileReadingError) -> AnyFlow

/// The error for a flow file that a scenario names and that cannot be used.
public struct FlowFileReadingError: DescribedError {
    /// The reasons, each with its position (file, line and column): `vault.yaml:3:5: …`.
    public let reasons: [String]

    public init(reasons: [String]) { self.reasons = reasons }

    public var why: String { reasons.joined(separator: "\n") }
}
