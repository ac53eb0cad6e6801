import GameFlow
import JSONCoding
import RPC
import Sessions

/// The parts of a result, or of a notification, that another dispatcher wrote.
struct RoutedPage {
    /// The sessions, each with its name, as JSON.
    private(set) var sessions: [(name: String, json: [UInt8])] = []
    private(set) var more = false
    private(set) var cursor: String?
    private(set) var pos = 0
    private(set) var missing = 0
    /// The `seq` of the first session; 0 without one.
    private(set) var seq = 0

    init(_ result: [UInt8]) {
        var text = JSONText()
        guard (try? text.read(result[...])) != nil, text.kind(JSONText.root) == .object else {
            return
        }
        for (name, value) in text.members(of: JSONText.root) {
            switch text.string(at: name) {
            case "sessions" where text.kind(value) == .array:
                for node in text.children(of: value) {
                    let members = text.object(at: node)
                    if sessions.isEmpty, case .int(let number)? = members["seq"] { seq = number }
                    sessions.append((members["session"]?.text ?? "", text.raw(at: node)))
                }
            case "more": more = text.value(at: value) == .bool(true)
            case "cursor": cursor = text.string(at: value)
            case "pos": pos = text.int(at: value) ?? 0
            case "missing": missing = text.int(at: value) ?? 0
            default: break
            }
        }
    }

    /// The place of a notification's change in the order of changes.
    static func change(_ notification: EncodedNotification) -> (
        session: SessionName?, seq: Int, pos: Int
    ) {
        var text = JSONText()
        guard (try? text.read(notification.params)) != nil else { return (nil, 0, 0) }
        var found: (session: SessionName?, seq: Int, pos: Int) = (nil, 0, 0)
        for (name, value) in text.members(of: JSONText.root) {
            switch text.string(at: name) {
            case "session": found.session = text.string(at: value).flatMap { SessionName($0) }
            case "seq": found.seq = text.int(at: value) ?? 0
            case "pos": found.pos = text.int(at: value) ?? 0
            default: break
            }
        }
        return found
    }
}
