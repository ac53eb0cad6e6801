/// What an undo does with the timers that ran just before the first undone step.
public enum UndoClocks: String, Sendable, CaseIterable {
    /// They have what they had left then.
    case still
    /// They have also run since then, whatever happened in between.
    case run
}
