internal import GameFlow

/// A search for a page of open sessions, in the order of their names. If few of a million sessions fit, it takes longer than a turn
/// of the loop may, so it can be carried out in pieces. What is opened or closed between two pieces may be missing.
package struct SessionSearch {
    /// The sessions that a search has found, and whether there are more of them.
    package typealias Page = (sessions: [Session], more: Bool)

    /// Only sessions that play this flow; nil means all flows.
    private let flow: String?
    private let limit: Int
    private let areUnreadListed: Bool
    /// The name after which the page begins.
    private let start: SessionName?
    /// The last session that was examined, or the name after which the search begins.
    private var after: SessionName?
    /// The sessions that were found, at most one more than `limit`.
    private var found: [Session] = []
    /// The search among the sessions that are not decoded yet, which comes first; nil when it has ended.
    private var unread: UnreadSearch?

    /// A search for at most `limit` sessions after the name `after`. Sessions that are not decoded yet are left out if
    /// `areUnreadListed` is false.
    package init(
        flow: String? = nil, after: SessionName? = nil, limit: Int, areUnreadListed: Bool = true
    ) {
        (self.flow, start, self.limit) = (flow, after, limit)
        self.areUnreadListed = areUnreadListed
        begin()
    }

    private mutating func begin() {
        (after, found) = (start, [])
        if areUnreadListed { unread = UnreadSearch(limit + 1, after: start, flow: flow) }
    }

    /// Continues the search, and examines about `count` sessions. Leaves out sessions for which `isVisible` is false. Returns the
    /// page, or nil if the search has not ended.
    package mutating func advance(
        in sessions: Sessions, examining count: Int, where isVisible: (SessionName) -> Bool
    ) -> Page? {
        if unread != nil {
            guard unread?.advance(in: sessions, examining: count, where: isVisible) == true else {
                return nil
            }
            unread = nil
        }
        // A copy, because the closure is foreign code and must not be called during an access to the index.
        let index = sessions.index
        let (next, last) = index.page(
            after: after, limit: limit + 1 - found.count, examining: count
        ) { (flow == nil || $0.flow.name == flow) && isVisible($0.name) }
        found += next
        if let last {
            after = last
            return nil
        }
        // If sessions were closed meanwhile, others take their places, perhaps some that are not decoded.
        guard found.allSatisfy({ sessions.index[$0.name] === $0 && isVisible($0.name) }) else {
            begin()
            return nil
        }
        return (Array(found.prefix(limit)), found.count > limit)
    }
}
