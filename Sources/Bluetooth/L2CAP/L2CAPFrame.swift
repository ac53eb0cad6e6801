/// What one channel of a link carries at once.
struct L2CAPFrame: Equatable {
    /// The channels that every link has.
    enum Channel {
        static let attributes: UInt16 = 4
        static let signals: UInt16 = 5
        static let security: UInt16 = 6
    }

    /// The longest that is taken: an attribute protocol's packet of the most that this host agrees to, and room
    /// for more.
    static let limit = 1024

    let channel: UInt16
    let payload: [UInt8]

    /// Its length, its channel, and what it carries.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt16(payload.count))
        bytes.append(channel)
        return bytes + payload
    }
}
