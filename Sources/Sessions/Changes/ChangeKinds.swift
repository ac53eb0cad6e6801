extension ChangeKind {
    /// All kinds of changes, by their numbers.
    package static let all: [ChangeKind] = [
        .open, .enter, .keep, .defer, .drop, .goto, .timer, .close, .label, .say, .move, .undo,
    ]
}
