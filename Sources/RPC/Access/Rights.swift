public import GameFlow
public import Sessions

/// The rights of one caller.
public final class Rights: Sendable {
    public let grants: [Grant]
    /// Whether the caller may do everything. Most callers may do everything, so each request checks this property first.
    public let allowsEverything: Bool
    /// Whether one of the grants binds arguments, which means that it fixes their values.
    let bindsArguments: Bool
    /// Whether one of the grants is not for events that are hidden from players.
    let excludesHiddenEvents: Bool

    public init(_ grants: [Grant]) {
        self.grants = grants
        bindsArguments = grants.contains { !$0.boundArguments.isEmpty }
        excludesHiddenEvents = grants.contains { !$0.coversHiddenEvents }
        allowsEverything = grants.contains {
            $0.role == .operate && $0.session.isAll && $0.event.isAll && $0.boundArguments.isEmpty
        }
    }

    /// The right to do everything.
    public static let everything = Rights([Grant(.operate)])
    /// No right at all.
    public static let nothing = Rights([])

    /// The highest role of the grants; each grant may be limited to some sessions. Nil if there is no grant.
    public var highestRole: Role? { grants.map(\.role).max() }

    /// Whether the caller has a role in a session; if `session` is nil, in at least one session.
    public func has(_ role: Role, in session: SessionName? = nil) -> Bool {
        allowsEverything
            || grants.contains { grant in
                grant.role >= role && (session.map { grant.session.matches($0.text) } ?? true)
            }
    }

    /// Whether the caller has a role in all present and future sessions.
    public func hasEverywhere(_ role: Role) -> Bool {
        allowsEverything || grants.contains { $0.role >= role && $0.session.isAll }
    }

    /// Whether the caller may watch a target. A watch of all sessions includes only those that the
    /// caller may observe.
    public func mayWatch(_ target: WatchTarget) -> Bool {
        switch target {
        case .all: has(.observe)
        case .session(let name): has(.observe, in: name)
        }
    }

    /// The right that the caller lacks for a watch of a target with these topics; nil if it lacks none. The inputs of devices belong
    /// to no session, and show what people do in the whole room.
    package func missingRight(toWatch target: WatchTarget, _ topics: Topics) -> String? {
        if !mayWatch(target) { return Role.observe.name }
        guard topics.contains(.inputs), !hasEverywhere(.operate) else { return nil }
        return "\(Role.operate.name) in every session"
    }

    /// Whether the caller may send the event to the session. The values of its arguments may be restricted, see
    /// `arguments(_:of:to:declared:)`. `isHidden`: the flow hides the event from players.
    public func maySend(_ event: String, to session: SessionName, isHidden: Bool = false) -> Bool {
        allowsEverything
            || grants.contains {
                $0.matches(event, to: session) && (!isHidden || $0.coversHiddenEvents)
            }
    }

    /// How much of the age that the caller gives for an event counts by the rules, if such events wait for each other.
    public func longestAge(of event: String, to session: SessionName) -> Duration {
        grants.filter { $0.matches(event, to: session) }.map(\.longestAge).max() ?? .zero
    }

    /// Whether the caller may send an event to a session with an HTTP GET request. A grant from an `allow` line with `get=yes`
    /// is necessary; `allowsEverything` is not enough.
    public func maySendWithGET(_ event: String, to session: SessionName) -> Bool {
        grants.contains { $0.allowsGET && $0.matches(event, to: session) }
    }

    /// Whether the caller may send the events that match `event` to a session with any arguments. Only such a caller may
    /// invite others to send these events.
    package func mayPlayFreely(_ session: SessionName, _ event: Glob) -> Bool {
        allowsEverything
            || grants.contains { grant in
                grant.role >= .play && grant.session.matches(session.text)
                    && grant.boundArguments.isEmpty
                    && (grant.event.isAll || grant.event == event)
            }
    }

    /// Returns the arguments with which the caller may send an event: the arguments of the request (`given`), and bound
    /// arguments that the request leaves out. A grant contradicts the request if the request has another value for an argument
    /// that the grant binds. The bound arguments come from the first matching grant that has bound arguments and does not
    /// contradict the request. Returns nil if each matching grant contradicts the request. If no grant matches the event,
    /// returns `given`; the caller of this method must also check `maySend`.
    ///
    /// `declared` are the names of the arguments that the flow declares for the event. Bound arguments with other names are
    /// ignored. If `declared` is nil, all bound arguments are used.
    public func arguments(
        _ given: [Member], of event: String, to session: SessionName, declared: [String]? = nil
    ) -> [Member]? {
        let bindings = grants.filter { $0.matches(event, to: session) }.map { grant in
            grant.boundArguments.filter { declared?.contains(where: $0.isNamed) ?? true }
        }
        let match = bindings.first { bound in
            !bound.isEmpty && bound.allSatisfy { (given[$0.name] ?? $0.value) == $0.value }
        }
        if let match { return given + match.filter { given[$0.name] == nil } }
        return allowsEverything || bindings.isEmpty || bindings.contains { $0.isEmpty }
            ? given : nil
    }

    /// The grants that bind arguments, as objects for clients: the session, the event and the arguments.
    public var bindingGrants: [Value] {
        grants.filter { !$0.boundArguments.isEmpty }.map { grant in
            .object([
                Member("session", grant.session.pattern), Member("event", grant.event.pattern),
                Member("args", .object(grant.boundArguments)),
            ])
        }
    }
}

/// A level of rights. Each role includes the roles before it.
public enum Role: Int, Comparable, CaseIterable, Sendable {
    /// May read and watch sessions.
    case observe
    /// May also send events.
    case play
    /// May do everything: override, open and close sessions, and advance a virtual clock.
    case operate

    public init?(_ name: String) {
        guard let role = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }

    public var name: String {
        switch self {
        case .observe: "observe"
        case .play: "play"
        case .operate: "operate"
        }
    }

    public static func < (one: Role, other: Role) -> Bool { one.rawValue < other.rawValue }
}
