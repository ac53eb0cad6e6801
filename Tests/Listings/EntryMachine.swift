import GameFlow
import Timers

enum GameState {
    case introduction
    case choosingLevel(Int)
    case playingLevel(Int, Int, Countdown)
}
enum GameEvent {
    case chooseLevel(Int)
    case timeUp
}

// block 1
