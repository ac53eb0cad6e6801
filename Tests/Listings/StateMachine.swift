import GameFlow
import ShippedFlows
import Timers

// block 1
