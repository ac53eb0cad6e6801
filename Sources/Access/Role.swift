/// How much somebody may do. Each role may do all that the ones before it may.
public enum Role: Int, Comparable, CaseIterable, Sendable {
    /// Look at sessions and follow them.
    case observe
    /// Send events, too.
    case play
    /// Everything: override, open and close, move a virtual clock.
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
