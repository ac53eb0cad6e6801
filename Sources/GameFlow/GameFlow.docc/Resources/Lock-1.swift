import GameFlow
import Timers

public struct Lock {
    public init() {}

    public enum StateName: String, CaseIterable { case closed, open, blocked }

    public enum State {
        case closed(tries: Int)
        case open(Countdown)
        case blocked(Countdown)
    }
}
