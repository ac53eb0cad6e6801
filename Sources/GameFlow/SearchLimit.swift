/// The limits of the analyses, which try a flow: the survey for diagrams and descriptions, lint, races and paths. All count moves
/// or tries, and none counts time. So every machine finds the same.
public enum SearchLimit: String, CaseIterable, Sendable {
    /// The tries of one survey of a flow, and of one state in it. A try enters a state, and sends at most one event or signal.
    case surveyTries, stateTries
    /// The moves of one lint, of one search for races, and of one search for paths. A move is an event that is sent, posted or
    /// deferred, or a timer that fires. The moves that lead back to a situation count, too.
    case lintMoves, racesMoves, pathsMoves

    /// The greatest number of tries or moves.
    public var maximum: Int {
        switch self {
        case .surveyTries: 32_768
        case .stateTries: 4096
        case .lintMoves, .pathsMoves: 300_000
        case .racesMoves: 1_500_000
        }
    }

    /// What the limit counts, as a clause for the documentation.
    public var clause: String {
        switch self {
        case .surveyTries: "tries of one survey of a flow, for diagrams and descriptions"
        case .stateTries: "tries of one state in a survey"
        case .lintMoves: "moves of `gamectl lint`, and of its search for the rows of a diagram"
        case .racesMoves: "moves of `gamectl races`, at most half of them to find situations"
        case .pathsMoves: "moves of `gamectl paths`"
        }
    }
}
