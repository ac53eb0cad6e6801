/// Counts requests and connections that were refused because of a limit, by the limit and the principal. The first principals
/// that are limited get a count of their own and keep it; all later ones share one.
struct LimitedRequests {
    /// The maximum number of principals with a count of their own.
    static let principalLimit = 10
    /// The name in the place of further principals.
    static let other = "other"

    private struct Key: Hashable {
        let limit: String
        let principal: String
    }

    private var principals: Set<String> = []
    private var counts: [Key: Int] = [:]

    /// Counts a refusal.
    mutating func count(_ limit: String, _ principal: String) {
        if principals.count < Self.principalLimit { principals.insert(principal) }
        let name = principals.contains(principal) ? principal : Self.other
        counts[Key(limit: limit, principal: name), default: 0] += 1
    }

    /// Calls `body` with each count.
    func forEachCount(_ body: (_ limit: String, _ principal: String, Int) -> Void) {
        for (key, count) in counts { body(key.limit, key.principal, count) }
    }
}
