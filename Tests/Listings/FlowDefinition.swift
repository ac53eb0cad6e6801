import GameFlow
import Lock
import Timers

typealias KYC = Lock
let clock = VirtualClock()

// block 1
