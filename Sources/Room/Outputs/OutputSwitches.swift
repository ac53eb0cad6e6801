/// Which outputs are sent: an operator can switch off all outputs or those of a connection, and a receiver can refuse further
/// requests.
struct OutputSwitches {
    /// Whether outputs are sent at all.
    private(set) var isOn: Bool
    /// The connections for which an operator has switched outputs off.
    private var connectionsOff: Set<String> = []
    /// The fingerprints of the lines whose receiver has answered that it wants no more requests.
    private var rejectedLines: Set<UInt64> = []

    init(isOn: Bool) { self.isOn = isOn }

    /// Whether outputs that use this connection are sent.
    func areOn(for connection: String) -> Bool { isOn && !connectionsOff.contains(connection) }

    /// Why outputs of a line are not sent; nil if they are.
    func reasonToWithhold(_ line: OutputLine) -> String? {
        if rejectedLines.contains(line.fingerprint) { return "the receiver wants no more" }
        return areOn(for: line.target.connection) ? nil : Self.off
    }

    /// Why outputs are not sent that an operator has switched off.
    static let off = "outputs are off"

    /// The state of a line's outputs, as the method `outputs` shows it.
    func state(of line: OutputLine) -> String {
        if rejectedLines.contains(line.fingerprint) { return "rejected" }
        return areOn(for: line.target.connection) ? "on" : "off"
    }

    /// Switches the outputs of one connection. If `connection` is nil, switches all outputs, and forgets the settings of single
    /// connections.
    mutating func set(on: Bool, connection: String?) {
        guard let connection else {
            (isOn, connectionsOff) = (on, [])
            return
        }
        if on { connectionsOff.remove(connection) } else { connectionsOff.insert(connection) }
    }

    /// The receiver of a line wants no more requests.
    mutating func reject(_ line: UInt64) { rejectedLines.insert(line) }

    /// Each receiver gets requests again.
    mutating func forgetRejections() { rejectedLines = [] }
}
