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
    /// Tries once to send the output of one output line, and passes the members of the result to `done`. `name` is the
    /// number of the line among the output lines, from 1, or the name of an effect, which selects the first line for it.
    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void)
}

/// Why an output cannot be tried.
public enum OutputTestError: DescribedError, Equatable {
    /// No output line has this number or this effect.
    case unknown(String)
    /// Outputs are off.
    case off
    /// There is no session from which the output can take its values, or one of these values cannot be used in the
    /// output.
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
