internal import GameFlow
internal import Support

/// An index of sessions by name and in the order of their names. The index is fast for a million sessions.
///
/// The ordered list is divided into chunks, so that opening a session moves only a few hundred pointers.
struct SessionIndex {
    private var byName = SessionTable()
    /// The sessions in the order of their names. No chunk is empty.
    private var chunks: [[Session]] = []
    /// The session that was found most recently. A search tries this session first, because most requests are to the same
    /// session as the previous request.
    private var latest: Session?
    /// The number of sessions that play each flow. Two versions of a flow, and two settings of a version, are different objects.
    private(set) var flowCounts: [ObjectIdentifier: (flow: AnyFlow, sessions: Int)] = [:]
    /// The maximum number of sessions in a chunk.
    private static let chunkLimit = 512

    var count: Int { byName.count }

    subscript(_ name: SessionName) -> Session? {
        mutating get { name.withBytes { find($0) } }
    }

    /// The session whose name has these bytes; nil if there is none. The bytes may be empty.
    mutating func find(_ name: UnsafeBufferPointer<UInt8>) -> Session? {
        if let latest, latest.name.hasBytes(name) { return latest }
        guard let found = byName.find(name) else { return nil }
        latest = found
        return found
    }

    init() {}

    /// Creates an index of given sessions. Sorting them once is faster than inserting them one by one. `capacity` is the number of
    /// sessions that the index will have.
    init(_ sessions: [Session], capacity: Int = 0) {
        byName = SessionTable(sessions, capacity: capacity)
        let order = NameKey.sorted(sessions)
        // Half of each chunk stays free for new sessions.
        let half = Self.chunkLimit / 2
        chunks = stride(from: 0, to: order.count, by: half).map { start in
            order[start..<min(start + half, order.count)].map { sessions[$0.index] }
        }
        for session in sessions { count(1, of: session.flow) }
    }

    private mutating func count(_ difference: Int, of flow: AnyFlow) {
        let key = ObjectIdentifier(flow)
        flowCounts[key, default: (flow, 0)].sessions += difference
        // The flow of a version that no session plays any more may be released.
        if difference < 0, flowCounts[key]?.sessions == 0 { flowCounts[key] = nil }
    }

    /// Call it when a session has changed to another flow. Does nothing if the index does not have the session.
    mutating func flowChanged(of session: Session, from old: AnyFlow) {
        guard byName.find(session.name) === session else { return }
        count(-1, of: old)
        count(1, of: session.flow)
    }

    mutating func insert(_ session: Session) {
        byName.insert(session)
        count(1, of: session.flow)
        guard !chunks.isEmpty else { return chunks.append([session]) }
        let (chunk, index) = find(session.name)
        chunks[chunk].insert(session, at: index)
        guard chunks[chunk].count > Self.chunkLimit else { return }
        let half = Self.chunkLimit / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeSubrange(half...)
    }

    mutating func remove(_ session: Session) {
        guard let indexed = byName.find(session.name) else { return }
        count(-1, of: indexed.flow)
        _ = byName.remove(session.name)
        latest = nil
        let (chunk, index) = find(session.name)
        chunks[chunk].remove(at: index)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }

    /// All sessions, in the order of their names.
    var all: [Session] { Array(chunks.joined()) }

    /// Returns up to `limit` sessions in the order of their names, starting after the name `after`. Leaves out sessions for
    /// which `fits` is false. Stops in the chunk in which it has examined `count` sessions; `last` is then the last of these.
    func page(
        after: SessionName?, limit: Int, examining count: Int, where fits: (Session) -> Bool
    ) -> (sessions: [Session], last: SessionName?) {
        var (page, examined): ([Session], Int) = ([], 0)
        guard !chunks.isEmpty else { return ([], nil) }
        var (chunk, index) = after.map(find) ?? (0, 0)
        while chunk < chunks.count, page.count < limit {
            guard examined < count else { return (page, chunks[chunk - 1].last?.name) }
            examined += chunks[chunk].count
            while index < chunks[chunk].count, page.count < limit {
                let session = chunks[chunk][index]
                if session.name != after, fits(session) { page.append(session) }
                index += 1
            }
            (chunk, index) = (chunk + 1, 0)
        }
        return (page, nil)
    }

    /// Returns the names near `name` in the order, as candidates for a suggestion.
    func neighbours(of name: String) -> [String] {
        guard let name = SessionName(name), !chunks.isEmpty else { return [] }
        let (chunk, _) = find(name)
        let nearby = max(0, chunk - 1)...min(chunks.count - 1, chunk + 1)
        return chunks[nearby].flatMap { $0.map(\.name.text) }
    }

    /// Returns the place of a name: the index of its chunk and its index in the chunk. If no session has the name, this is the
    /// place where such a session would be inserted.
    private func find(_ name: SessionName) -> (chunk: Int, index: Int) {
        let startCount = BinarySearch.prefixCount(chunks.count) { chunks[$0][0].name <= name }
        let chunk = max(0, startCount - 1)
        let sessions = chunks[chunk]
        return (chunk, BinarySearch.prefixCount(sessions.count) { sessions[$0].name < name })
    }
}

/// The first sixteen bytes of a session's name as two numbers. Sorting by the numbers reads the names themselves, which are
/// scattered in memory, only if the first sixteen bytes are equal.
struct NameKey {
    private let high: UInt64
    private let low: UInt64
    /// The session's index in the unsorted list.
    let index: Int

    /// The first byte is the most significant. Missing bytes of a shorter name are 0, which no name contains.
    private init(_ name: SessionName, at index: Int) {
        self.index = index
        var text = name.text
        (high, low) = text.withUTF8 { bytes in
            var (high, low): (UInt64, UInt64) = (0, 0)
            for offset in 0..<min(8, bytes.count) {
                high |= UInt64(bytes[offset]) << UInt64(56 - 8 * offset)
            }
            for offset in 8..<max(8, min(16, bytes.count)) {
                low |= UInt64(bytes[offset]) << UInt64(120 - 8 * offset)
            }
            return (high, low)
        }
    }

    /// Returns the keys of sessions in the order of their names.
    static func sorted(_ sessions: [Session]) -> [NameKey] {
        var keys: [NameKey] = []
        keys.reserveCapacity(sessions.count)
        for index in sessions.indices { keys.append(NameKey(sessions[index].name, at: index)) }
        keys.sort { a, b in
            if a.high != b.high { return a.high < b.high }
            if a.low != b.low { return a.low < b.low }
            return sessions[a.index].name < sessions[b.index].name
        }
        return keys
    }
}
