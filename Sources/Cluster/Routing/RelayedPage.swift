import GameFlow
import JSONCoding
package import RPC
package import Sessions

/// A page of sessions; only the members that this node needs are read. An owner's dispatcher wrote the page as the result of
/// `list` or `watch`, or as the parameters of a notification. `MergedPages` merges the pages of all owners.
package struct RelayedPage {
    /// The sessions, each with its name, as JSON.
    package private(set) var sessions: [(name: String, json: [UInt8])] = []
    /// Whether the owner has more sessions than the page.
    package private(set) var hasMore = false
    /// The text of the page's cursor; nil if the page has none. A page of another node has a `ClusterCursor`. A page of a shard
    /// of this node has a `Cursor`.
    package private(set) var cursor: String?
    /// The `pos` up to which the page shows the owner's changes.
    package private(set) var pos = 0
    /// The number of shards that had no owner when the page was made. The page lacks the sessions of these shards.
    package private(set) var missingShardCount = 0
    /// The `seq` of the first session; 0 if the page has no session.
    package private(set) var seq = 0

    /// Parses a JSON object; the page is empty if `result` is not one.
    package init(_ result: [UInt8]) {
        var text = JSONText()
        guard (try? text.read(result[...])) != nil, text.kind(JSONText.root) == .object else {
            return
        }
        for (name, value) in text.members(of: JSONText.root) {
            switch text.string(at: name) {
            case "sessions" where text.kind(value) == .array:
                for session in text.children(of: value) {
                    let members = text.object(at: session)
                    if sessions.isEmpty, case .int(let number)? = members["seq"] { seq = number }
                    sessions.append((members["session"]?.text ?? "", text.raw(at: session)))
                }
            case "more": hasMore = text.value(at: value) == .bool(true)
            case "cursor": cursor = text.string(at: value)
            case "pos": pos = text.int(at: value) ?? 0
            case "missing": missingShardCount = text.int(at: value) ?? 0
            default: break
            }
        }
    }

    /// The position up to which the page shows the changes of each shard of its owner; nil if the page has no cursor of the
    /// owner. If the owner is a shard of this node, `shard` is its number, else nil.
    package func positions(of shard: Int?) -> ClusterCursor? {
        guard let shard else { return cursor.flatMap { ClusterCursor($0) } }
        guard let pos = cursor.flatMap({ Cursor($0)?.pos }) else { return nil }
        return ClusterCursor(positions: [shard: pos])
    }

    /// Where a notification `change` or `gap` is in the changes of its owner. The session is nil for a gap of all sessions.
    package typealias ChangePosition = (session: SessionName?, seq: Int, pos: Int)

    /// Reads the position of a notification.
    package static func changePosition(of notification: EncodedNotification) -> ChangePosition {
        var text = JSONText()
        guard (try? text.read(notification.params)) != nil else { return (nil, 0, 0) }
        var position: ChangePosition = (nil, 0, 0)
        for (name, value) in text.members(of: JSONText.root) {
            switch text.string(at: name) {
            case "session": position.session = text.string(at: value).flatMap { SessionName($0) }
            case "seq": position.seq = text.int(at: value) ?? 0
            case "pos": position.pos = text.int(at: value) ?? 0
            default: break
            }
        }
        return position
    }
}
