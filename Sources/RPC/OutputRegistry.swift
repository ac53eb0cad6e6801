public import GameFlow
public import Support

/// The outputs to the devices of the room.
public protocol OutputRegistry: AnyObject {
    /// Whether outputs are on, and a description of each line, in the order of the configuration.
    func outputs() -> [Member]
    /// Switches outputs on or off: all of them, or those of a connection. Returns false if no line uses it.
    func setOutputs(on: Bool, connection: String?) -> Bool
    /// Sends what a line, by its number, or the first line for an effect asks for, and reports how that ended.
    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void)
}

/// Why an output cannot be tried.
public enum OutputTestError: DescribedError, Equatable {
    case unknown(String)
    /// Outputs are off.
    case off
    /// There is no session to take values from, or a value cannot be used there.
    case unfit

    public var why: String {
        switch self {
        case .unknown(let name): "no line has the number or the effect \(name)"
        case .off: "outputs are off"
        case .unfit: "there is no session to take values from, or a value cannot be used there"
        }
    }
}
