public import GameFlow
public import Support

/// The flow that a scenario names: one of those that the program has, or one in a file.
struct FlowReference {
    /// The name or the path, as it was written.
    let word: String
    let flowWithDefaultSettings: AnyFlow
    /// The flow with the settings of the `set` lines that were read so far.
    var flow: AnyFlow

    init(_ word: String, _ flow: AnyFlow) {
        (self.word, flowWithDefaultSettings, self.flow) = (word, flow, flow)
    }
}

/// Reads a flow file for scenarios. The path already begins with the folder of the scenario file, which `ScenarioReader`
/// adds.
public typealias FlowFileReader = (_ path: String) throws(FlowFileReadingError) -> AnyFlow

/// The error for a flow file that a scenario names and that cannot be used.
public struct FlowFileReadingError: DescribedError {
    /// The reasons, each with its position: `vault.yaml:3:5: …`.
    public let reasons: [String]

    public init(reasons: [String]) { self.reasons = reasons }

    public var why: String { reasons.joined(separator: "\n") }
}
