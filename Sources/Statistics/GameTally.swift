internal import GameFlow
internal import Sessions

/// Counts of games apart from the visits of states.
struct GameTally: Equatable {
    var gotos = 0
    var timers = 0
    var undos = 0
    /// The messages that operators sent to the players.
    var hints = 0
    /// The refused events that the journal contains.
    var refusals = 0

    mutating func take(_ record: SessionRecord) {
        if record.kind == .refusal { refusals += 1 }
        guard case .change(let changed) = record.body else { return }
        switch changed.did.step.kind {
        case .goto: gotos += 1
        case .timer: timers += 1
        case .undo: undos += 1
        case .say:
            // An empty message removes the one before it.
            if case .say(let text, _)? = changed.did.order, !text.isEmpty { hints += 1 }
        case .open, .enter, .keep, .defer, .drop, .close, .label, .move: break
        }
    }

    mutating func add(_ other: GameTally) {
        gotos += other.gotos
        timers += other.timers
        undos += other.undos
        hints += other.hints
        refusals += other.refusals
    }
}
