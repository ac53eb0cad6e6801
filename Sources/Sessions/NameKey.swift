/// The first sixteen bytes of a session's name as two numbers. Sorting by them does not read the names
/// themselves, which are scattered in memory.
struct NameKey {
    private let high: UInt64
    private let low: UInt64
    /// The session's index in the unsorted list.
    let place: Int

    /// The first byte is the most significant. Missing bytes of a shorter name are 0, which no name contains.
    private init(_ name: SessionName, at place: Int) {
        self.place = place
        var text = name.text
        (high, low) = text.withUTF8 { bytes in
            var (high, low): (UInt64, UInt64) = (0, 0)
            for at in 0..<min(8, bytes.count) { high |= UInt64(bytes[at]) << UInt64(56 - 8 * at) }
            for at in 8..<max(8, min(16, bytes.count)) {
                low |= UInt64(bytes[at]) << UInt64(120 - 8 * at)
            }
            return (high, low)
        }
    }

    /// Returns the keys of sessions in the order of their names.
    static func sorted(_ sessions: [Session]) -> [NameKey] {
        var keys: [NameKey] = []
        keys.reserveCapacity(sessions.count)
        for place in sessions.indices { keys.append(NameKey(sessions[place].name, at: place)) }
        keys.sort { a, b in
            if a.high != b.high { return a.high < b.high }
            if a.low != b.low { return a.low < b.low }
            return sessions[a.place].name < sessions[b.place].name
        }
        return keys
    }
}
