public import GameFlow
private import Glibc
internal import Sessions

/// The access rules of the configuration. A rule grants a role to a principal: a user, a group, a token, a certificate, or all
/// clients of a transport. A client has the grants of all rules that name one of its principals. No rule removes a right. The
/// order of the rules matters only if several rules with `args` allow the same event. Then the arguments that a request leaves
/// out come from the first of these rules. Anything that no rule allows is forbidden. Two kinds of clients can have further
/// rights: clients of the UNIX socket, and guests of an invitation (see `rights(of:over:tokenGrant:)`).
public struct Rules: Equatable, Sendable {
    public let rules: [Rule]
    /// The user id of the daemon. On the UNIX socket, clients of this user and of root may operate.
    private let ownUID: UInt32

    /// The user id of this process. Wraps geteuid(2).
    public static var ownUID: UInt32 { geteuid() }

    public init(_ rules: [Rule] = [], ownUID: UInt32) {
        (self.rules, self.ownUID) = (rules, ownUID)
    }

    /// The rights of a client with these principals, which is connected over this transport.
    ///
    /// On the UNIX socket, the mode of the socket's file decides who can connect. If there are no rules, every client of the
    /// socket may operate. If there are rules, root and the daemon's user may operate, and the other clients may play. On the
    /// other transports, a client without a matching rule has only the rights of `tokenGrant`, or no rights.
    ///
    /// `tokenGrant` is the grant of the client's token, if the token was made for the guest of an invitation.
    public func rights(
        of principals: Set<Principal>, over transport: Source.Kind, tokenGrant: Grant? = nil
    ) -> Rights {
        var grants = rules.filter { principals.contains($0.principal) }.map(\.grant)
        if let tokenGrant { grants.append(tokenGrant) }
        if transport == .unix {
            let isOwner = principals.contains(.uid(0)) || principals.contains(.uid(ownUID))
            grants.append(Grant(rules.isEmpty || isOwner ? .operate : .play))
        }
        return Rights(grants)
    }
}

/// A line of the configuration: `allow PRINCIPAL ROLE [session=GLOB] [event=GLOB] [args=JSON] [get=yes] [age=D]`.
public struct Rule: Equatable, Sendable {
    public let principal: Principal
    public let grant: Grant

    public init(_ principal: Principal, _ grant: Grant) {
        (self.principal, self.grant) = (principal, grant)
    }
}

/// A role, limited to the sessions and events whose names match the patterns.
public struct Grant: Equatable, Sendable {
    public let role: Role
    public let session: Glob
    public let event: Glob
    /// Fixed arguments: the events may be sent only with these values. An argument that the sender leaves out is
    /// filled in.
    public let boundArguments: [Member]
    /// Whether events may be sent with HTTP GET requests (`get=yes` in a rule).
    public let allowsGET: Bool
    /// How much of the age that a sender gives counts if events wait for each other (`age=D` in a rule).
    public let longestAge: Duration
    /// Whether the grant is also for events that the flow hides from players.
    public let coversHiddenEvents: Bool

    /// The longest time that a rule can give as `age=D`.
    public static let ageLimit = Duration.seconds(1)
    /// `longestAge` of a client of the UNIX socket, and of a device: they need no rule.
    package static let ageWithoutRule = Duration.milliseconds(300)

    public init(
        _ role: Role, session: Glob = .all, event: Glob = .all, boundArguments: [Member] = [],
        allowsGET: Bool = false, longestAge: Duration = .zero, coversHiddenEvents: Bool = true
    ) {
        (self.longestAge, self.coversHiddenEvents) = (longestAge, coversHiddenEvents)
        (self.role, self.session, self.event) = (role, session, event)
        (self.boundArguments, self.allowsGET) = (boundArguments, allowsGET)
    }

    /// Whether the grant allows a caller to send the event to the session, if the arguments have the bound values.
    func matches(_ event: String, to session: SessionName) -> Bool {
        role >= .play && self.session.matches(session.text) && self.event.matches(event)
    }
}
