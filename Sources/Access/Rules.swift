public import GameFlow
private import Glibc

/// Who may do what: whatever no rule allows is forbidden, and what several allow adds up. There is no order
/// among rules, and none that takes away: what somebody may is found by reading only the lines that name him.
public struct Rules: Equatable, Sendable {
    public let rules: [Rule]
    /// The daemon's own user, who operates it, as root does.
    private let ownUID: UInt32

    /// The user that this process runs as. Wraps geteuid(2).
    public static var ownUID: UInt32 { geteuid() }

    public init(_ rules: [Rule] = [], ownUID: UInt32) {
        (self.rules, self.ownUID) = (rules, ownUID)
    }

    /// What somebody may who comes in that way and is those principals.
    ///
    /// At the UNIX socket of lines, the file's mode has decided already who gets here: everybody operates until
    /// there are rules; then root and the daemon's own user do, and the others play. Elsewhere there is nothing
    /// without a rule.
    public func rights(of principals: Set<Principal>, by kind: Source.Kind) -> Rights {
        var grants = rules.filter { principals.contains($0.principal) }.map(\.grant)
        if kind == .unix {
            let isOwner = principals.contains(.uid(0)) || principals.contains(.uid(ownUID))
            grants.append(Grant(rules.isEmpty || isOwner ? .operate : .play))
        }
        return Rights(grants)
    }
}
