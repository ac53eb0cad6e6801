internal import GameFlow
internal import Sessions

/// Counts of what happened in games, other than visits of states.
struct GameTally: Equatable {
    /// The changes that operators made with `goto`.
    var gotos = 0
    /// The timer operations of operators.
    var timers = 0
    var undos = 0
    /// The messages that operators sent to the players, and the accepted events that the flow calls hints.
    var hints = 0
    /// The refused events that the journal contains.
    var refusals = 0

    /// `hintEvents` are the events that the flow of the record calls hints.
    mutating func add(_ record: SessionRecord, hintEvents: Set<String>) {
        if record.kind == .refusal { refusals += 1 }
        guard case .change(let recorded) = record.body else { return }
        switch recorded.kind {
        case .enter, .keep:
            if let event = recorded.change.step.event, hintEvents.contains(event.name) {
                hints += 1
            }
        case .goto: gotos += 1
        case .timer: timers += 1
        case .undo: undos += 1
        case .say:
            // An empty message only removes the previous message, so it is not a hint.
            let said = recorded.change.details?.value as? Change.Said
            if said?.text.isEmpty == false { hints += 1 }
        default: break
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
