import GameFlow
import JSONCoding
import RPC
import Sessions

/// What is needed of a result, or of a notification, that another dispatcher wrote.
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

    /// What a notification says about how far its receiver is.
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

/// The pages of several owners as one, by the sessions' names.
struct MergedPages {
    private let limit: Int
    private var missing: Int
    private var sessions: [(name: String, json: [UInt8])] = []
    private var more = false
    private var error: RelayedError?
    private(set) var cursor = ClusterCursor()

    init(limit: Int, missing: Int) { (self.limit, self.missing) = (limit, missing) }

    mutating func add(_ page: RoutedPage, _ shard: Int?) {
        sessions += page.sessions
        more = more || page.more
        missing += page.missing
        guard let text = page.cursor else { return }
        if let shard {
            cursor.positions[shard] = Cursor(text)?.pos ?? 0
        } else if let other = ClusterCursor(text) {
            cursor.positions.merge(other.positions) { $1 }
        }
    }

    /// An owner did not answer.
    mutating func miss(_ shards: Int) { missing += shards }

    mutating func fail(_ error: RelayedError) {
        // An owner that may not answer now is missing; a mistake is one for all owners.
        if error.code == 12 { missing += 1 } else { self.error = self.error ?? error }
    }

    func reply(to method: Method) -> RoutedReply {
        if let error, sessions.isEmpty { return .error(error) }
        let sorted = sessions.sorted { $0.name < $1.name }
        return .result(
            JSONWriter.bytes { writer in
                writer.beginObject()
                if method != .unwatch {
                    writer.name("sessions")
                    writer.beginArray()
                    for session in sorted.prefix(limit) { writer.json(session.json) }
                    writer.endArray()
                    writer.name("more")
                    writer.bool(more || sorted.count > limit)
                }
                if method == .watch {
                    writer.name("pos")
                    writer.int(cursor.pos)
                    writer.name("cursor")
                    writer.string(cursor.text)
                }
                if missing > 0 {
                    writer.name("missing")
                    writer.int(missing)
                }
                writer.endObject()
            })
    }
}

/// A position in the changes of each shard, as opaque text.
struct ClusterCursor: Equatable {
    /// By shard; without the shards that have no change.
    var positions: [Int: Int] = [:]

    init() {}

    /// The number of changes up to there, of all shards.
    var pos: Int {
        positions.values.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }

    var text: String {
        let parts = positions.filter { $0.value > 0 }.sorted { $0.key < $1.key }
            .map { "\(String($0.key, radix: 36)).\(String($0.value, radix: 36))" }
        return "m" + parts.joined(separator: "_")
    }

    /// Parses a cursor; nil if no node can have made the text.
    init?(_ text: String) {
        guard text.first == "m", text.utf8.count <= 8192 else { return nil }
        for part in text.dropFirst().split(separator: "_") {
            let numbers = part.split(separator: ".", omittingEmptySubsequences: false)
            guard numbers.count == 2, let shard = Int(numbers[0], radix: 36),
                let pos = Int(numbers[1], radix: 36), 0..<65_536 ~= shard, 0...Value.largest ~= pos
            else { return nil }
            positions[shard] = pos
        }
    }
}
