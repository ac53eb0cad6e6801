public import Support

/// A receiver of notifications. The sessions never wait for a watcher.
public protocol Watcher: AnyObject {
    /// Called with each notification of a watched session. If a watcher watches a session both by name and with all sessions,
    /// this function is called twice in succession with the notification.
    func notify(_ notification: Notification)
    /// Returns whether the watcher may receive notifications of a session. A watcher of all sessions gets only
    /// the notifications of sessions for which this returns true.
    func mayObserve(_ session: SessionName) -> Bool
    /// Called when a session that is watched by name was closed; the watch has ended too.
    func ended(_ session: SessionName)
}

extension Watcher {
    public func mayObserve(_ session: SessionName) -> Bool { true }
}

/// The topics of notifications that a watcher can select.
public struct Topics: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let changes = Topics(rawValue: 1)
    public static let beats = Topics(rawValue: 2)
    public static let refusals = Topics(rawValue: 4)
    /// Inputs from devices that no line of the configuration matches. They belong to no session.
    public static let inputs = Topics(rawValue: 8)
    /// Sessions that have become stuck; only callers that may operate a session are notified.
    public static let stuck = Topics(rawValue: 16)

    /// Creates a topic from its name; nil if no topic has this name.
    public init?(_ name: String) {
        switch name {
        case "changes": self = .changes
        case "beats": self = .beats
        case "refusals": self = .refusals
        case "inputs": self = .inputs
        case "stuck": self = .stuck
        default: return nil
        }
    }

    /// Creates the set of the named topics; throws if a name is unknown or the list is empty.
    public init(names: [String]) throws(TopicsError) {
        self = []
        for name in names {
            guard let topic = Topics(name) else {
                throw TopicsError(
                    why: "expected a list of \(Self.allNames.joined(separator: ", "))")
            }
            insert(topic)
        }
        if isEmpty { throw TopicsError(why: "the list is empty") }
    }

    /// The names of the topics in the set.
    public var names: [String] {
        Self.allNames.filter { name in Topics(name).map(contains) ?? false }
    }

    /// The names of all topics.
    public static let allNames = ["changes", "beats", "refusals", "inputs", "stuck"]
}

/// The target of a watch: one session, or all present and future sessions.
public enum WatchTarget: Hashable, Sendable {
    case session(SessionName)
    case all
}

/// A list of watchers and their topics.
struct WatcherList {
    private(set) var watchers: [(watcher: any Watcher, topics: Topics)] = []

    /// Adds a watcher, or replaces its topics.
    mutating func set(_ watcher: any Watcher, _ topics: Topics) {
        remove(watcher)
        watchers.append((watcher, topics))
    }

    mutating func remove(_ watcher: any Watcher) {
        watchers.removeAll { $0.watcher === watcher }
    }

    func has(_ watcher: any Watcher) -> Bool { watchers.contains { $0.watcher === watcher } }

    func watchers(of topic: Topics) -> [any Watcher] {
        var found: [any Watcher] = []
        add(to: &found, topic)
        return found
    }

    /// Appends the watchers of a topic to `found`.
    func add(to found: inout [any Watcher], _ topic: Topics) {
        for (watcher, topics) in watchers where topics.contains(topic) { found.append(watcher) }
    }

    /// Whether any watcher has selected this topic.
    func hasWatcher(of topic: Topics) -> Bool {
        watchers.contains { !$0.topics.isDisjoint(with: topic) }
    }
}

/// The error for an invalid list of topic names.
public struct TopicsError: DescribedError { public let why: String }
