import GameFlow
import ShippedFlows
import Timers

final class Label { var text = "" }
let label = Label()
let game = StateMachine(Game(), on: VirtualClock())
let user = (name: game.derive { "\($0)" }, id: 1)

// block 1
// block 2
