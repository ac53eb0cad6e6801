import Support

/// Why an output cannot be tried.
package enum OutputTestError: DescribedError, Equatable {
    /// No output line has this number or this effect.
    case unknown(String)
    /// Outputs are off.
    case off
    /// No session exists from which the output can take its values.
    case noSession
    /// The output cannot use one of the values of a session.
    case noContent(ContentError)

    package var why: String {
        switch self {
        case .unknown(let name): "no line has the number or the effect \(name)"
        case .off: "outputs are off"
        case .noSession: "there is no session to take values from"
        case .noContent(let error): error.why
        }
    }
}
