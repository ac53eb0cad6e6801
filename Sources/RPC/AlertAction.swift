/// The actions of the method `alerts`.
public enum AlertAction: String, CaseIterable, Sendable {
    case ack
}
