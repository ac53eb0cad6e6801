public import GameFlow
public import Support

/// The outputs to the devices of the room, as the method `outputs` shows and changes them.
public protocol OutputRegistry: AnyObject {
    /// Describes whether outputs are on, and each output line (an `on` line of the configuration), in order, as members of
    /// a result.
    func outputs() -> [Member]
    /// Switches all outputs, or the outputs of one connection, on or off. Returns false if no output line uses the
    /// connection.
    func setOutputs(on: Bool, connection: String?) -> Bool
    /// Tries once to send the output of one output line, and passes the members of the result to `done`. `name` is the number
    /// of the line among the output lines, counted from 1, or the name of an effect. An effect selects the first output line
    /// for this effect.
    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void)
}

/// Why an output cannot be tried.
public enum OutputTestError: DescribedError, Equatable {
    /// No output line has this number or this effect.
    case unknown(String)
    /// Outputs are off.
    case off
    /// No session exists from which the output can take its values, or the output cannot use one of these values.
    case noUsableValues

    public var why: String {
        switch self {
        case .unknown(let name): "no line has the number or the effect \(name)"
        case .off: "outputs are off"
        case .noUsableValues:
            "there is no session to take values from, or a value cannot be used in the output"
        }
    }
}
