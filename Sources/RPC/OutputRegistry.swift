public import GameFlow
public import Support

/// The outputs to the devices of the room.
public protocol OutputRegistry: AnyObject {
    /// Describes whether outputs are on, and each output line of the configuration, in order.
    func outputs() -> [Member]
    /// Switches all outputs, or those of one connection, on or off. Returns false if no output line uses the
    /// connection.
    func setOutputs(on: Bool, connection: String?) -> Bool
    /// Tries once to send the output of one output line, and passes the outcome to `done`. `name` is the number of the
    /// line, or an effect: then the first line for that effect is used.
    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void)
}

/// Why an output cannot be tried.
public enum OutputTestError: DescribedError, Equatable {
    case unknown(String)
    /// Outputs are off.
    case off
    /// There is no session from which the output can take its values, or a value cannot be used in the output.
    case unfit

    public var why: String {
        switch self {
        case .unknown(let name): "no line has the number or the effect \(name)"
        case .off: "outputs are off"
        case .unfit: "there is no session to take values from, or a value cannot be used there"
        }
    }
}
