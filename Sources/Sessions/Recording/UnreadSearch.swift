/// A search among the sessions that are not decoded yet. It decodes the first of them that fit, in the order of their names.
struct UnreadSearch {
    private let flow: String?
    private var after: SessionName?
    /// The number of sessions that are still to be decoded.
    private var missing: Int
    /// The number of the next session that is examined. The numbers are not in the order of the names.
    private var number = 0
    private var found: [(name: SessionName, number: Int)] = []
    /// How many of the sessions that were found are decoded.
    private var decoded = 0
    /// How many sessions are examined in the time in which one is decoded, about.
    private static let examinationsPerDecoding = 32
    /// The name from which on sessions are not needed, because enough were found before it; nil until then.
    private var end: SessionName?

    init(_ count: Int, after: SessionName?, flow: String?) {
        (missing, self.after, self.flow) = (count, after, flow)
    }

    /// Continues the search, and examines at most `count` sessions. Returns whether the search has ended.
    mutating func advance(
        in sessions: Sessions, examining count: Int, where isVisible: (SessionName) -> Bool
    ) -> Bool {
        guard let unread = sessions.unread else { return true }
        let last =
            unread.numbers.endIndex - number > count ? number + count : unread.numbers.endIndex
        while number < last {
            examine(number, in: unread, where: isVisible)
            number += 1
        }
        guard number == unread.numbers.endIndex else { return false }
        if decoded == 0 { trim() }
        guard let lastName = found.last?.name else { return true }
        // To decode a session takes much longer than to examine its name.
        let next = found[decoded...].prefix(max(1, count / Self.examinationsPerDecoding))
        sessions.decode(next.map(\.number))
        decoded += next.count
        guard decoded == found.count else { return false }
        // A session that cannot be restored leaves a place in the list, and the search begins again after the last one.
        missing -= found.count { sessions.index[$0.name] != nil }
        (after, number, found, decoded, end) = (lastName, 0, [], 0, nil)
        return missing <= 0
    }

    private mutating func examine(
        _ number: Int, in unread: UnreadSessions, where isVisible: (SessionName) -> Bool
    ) {
        guard unread.contains(number) else { return }
        let name = unread.rows.name(of: number)
        if let after, name <= after { return }
        if let end, name >= end { return }
        guard isVisible(name) else { return }
        if let flow, let other = unread.rows.flow(of: number), other != flow { return }
        found.append((name, number))
        // Sorting now and then takes less than keeping the list sorted.
        if found.count == 2 * missing { trim() }
    }

    /// Keeps the first of the sessions that were found.
    private mutating func trim() {
        found.sort { $0.name < $1.name }
        guard found.count >= missing else { return }
        found.removeLast(found.count - missing)
        end = found.last?.name
    }
}
