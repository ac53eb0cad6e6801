import GameFlow
import GameFlowHosting
import ShippedFlows
import Timers

func show(_ host: SessionHost<Game>) async throws {
    // block 1
}
