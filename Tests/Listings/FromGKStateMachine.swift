import GameFlow
import Timers

enum Guard { case patrolling, chasing, hurt }
// block 1

func translate(_ rules: Rules) {
    // block 2
}

enum Alert {
    case patrolling
    case chasing(Countdown)
}
enum Sight { case playerSeen, playerLost }

func change(_ clock: VirtualClock) -> StateMachine<Alert, Sight> {
    // block 3
    return guardian
}
