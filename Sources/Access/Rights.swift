public import Sessions

/// What one peer may do.
public final class Rights: Sendable {
    public let grants: [Grant]
    /// Whether nothing is forbidden to it: the common case, asked for with each request.
    public let isEverything: Bool

    public init(_ grants: [Grant]) {
        self.grants = grants
        isEverything = grants.contains {
            $0.role == .operate && $0.session.isAll && $0.event.isAll
        }
    }

    public static let everything = Rights([Grant(.operate)])
    public static let nothing = Rights([])

    /// The most that it may do anywhere; nil if that is nothing.
    public var highest: Role? { grants.map(\.role).max() }

    /// Whether it has a role for a session; or, without one, for some session or other.
    public func has(_ role: Role, in session: SessionName? = nil) -> Bool {
        isEverything
            || grants.contains { grant in
                grant.role >= role && (session.map { grant.session.matches($0.text) } ?? true)
            }
    }

    /// Whether it has a role for all sessions there are and will be.
    public func hasEverywhere(_ role: Role) -> Bool {
        isEverything || grants.contains { $0.role >= role && $0.session.isAll }
    }

    /// Whether it may watch that. Whoever watches all is told of those that he may observe.
    public func mayWatch(_ target: WatchTarget) -> Bool {
        switch target {
        case .all: has(.observe)
        case .session(let name): has(.observe, in: name)
        }
    }

    /// Whether it may send an event to a session.
    public func maySend(_ event: String, to session: SessionName) -> Bool {
        isEverything
            || grants.contains {
                $0.role >= .play && $0.session.matches(session.text) && $0.event.matches(event)
            }
    }
}
