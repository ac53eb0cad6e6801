/// The actions of the method `clients`.
public enum ClientAction: String, CaseIterable, Sendable {
    case kick
}
