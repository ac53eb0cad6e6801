/// The actions of the method `token`.
public enum TokenAction: String, CaseIterable, Sendable {
    case add, remove, list
}
