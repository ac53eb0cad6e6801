/// Whoever wants to be told of changes as they happen. It is never waited for.
public protocol Watcher: AnyObject {
    /// Something happened that it watches. One that watches it twice over is told twice in a row.
    func notify(_ notice: Notification)
    /// Whether it may be told of a session: who watches all is told of those.
    func mayObserve(_ session: SessionName) -> Bool
    /// A session that it watches by name is over, and with it the watch.
    func ended(_ session: SessionName)
}

extension Watcher {
    public func mayObserve(_ session: SessionName) -> Bool { true }
}

/// What a watcher can ask to be told.
public struct Topics: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let changes = Topics(rawValue: 1)
    public static let beats = Topics(rawValue: 2)
    public static let refusals = Topics(rawValue: 4)

    /// The topic of that name.
    public init?(_ name: String) {
        switch name {
        case "changes": self = .changes
        case "beats": self = .beats
        case "refusals": self = .refusals
        default: return nil
        }
    }

    /// What is wrong with the names of topics.
    public struct Flaw: Error { public let why: String }

    /// The topics of those names, of which there is at least one.
    public init(names: [String]) throws(Flaw) {
        self = []
        for name in names {
            guard let topic = Topics(name) else {
                throw Flaw(why: "expected of \(Self.names.joined(separator: ", "))")
            }
            insert(topic)
        }
        if isEmpty { throw Flaw(why: "none") }
    }

    public static let names = ["changes", "beats", "refusals"]
}

/// What is watched: one session, or all there are and will be.
public enum WatchTarget: Hashable, Sendable {
    case session(SessionName)
    case all
}

/// Some watchers, and what each of them watches.
struct WatcherList {
    private(set) var watchers: [(watcher: any Watcher, topics: Topics)] = []

    mutating func set(_ watcher: any Watcher, _ topics: Topics) {
        remove(watcher)
        watchers.append((watcher, topics))
    }

    mutating func remove(_ watcher: any Watcher) {
        watchers.removeAll { $0.watcher === watcher }
    }

    func has(_ watcher: any Watcher) -> Bool { watchers.contains { $0.watcher === watcher } }

    func want(_ topic: Topics) -> Bool {
        watchers.contains { !$0.topics.isDisjoint(with: topic) }
    }
}
