import GameFlow
import ShippedFlows
import Timers

let machine = StateMachine(Onboarding(), on: VirtualClock())

// block 2
