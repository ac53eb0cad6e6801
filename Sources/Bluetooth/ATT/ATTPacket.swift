/// A packet of the attribute protocol, as those are made that go out.
struct ATTPacket: Equatable {
    /// What both ends hold without having agreed on more.
    static let standardMTU = 23
    /// The most that is agreed to here: what LE carries in one piece of the longest kind.
    static let mtu = 247

    let bytes: [UInt8]

    init(_ opcode: ATTOpcode, _ parameters: [UInt8] = []) {
        bytes = [opcode.rawValue] + parameters
    }

    /// One whose parameters begin with numbers.
    init(_ opcode: ATTOpcode, _ words: [UInt16], _ rest: [UInt8] = []) {
        var bytes = [opcode.rawValue]
        for word in words { bytes.append(word) }
        self.bytes = bytes + rest
    }

    static func error(_ error: ATTError, to opcode: UInt8, at handle: UInt16) -> ATTPacket {
        var parameters = [opcode]
        parameters.append(handle)
        return ATTPacket(.error, parameters + [error.rawValue])
    }

    var frame: L2CAPFrame { L2CAPFrame(channel: L2CAPFrame.Channel.attributes, payload: bytes) }
}
