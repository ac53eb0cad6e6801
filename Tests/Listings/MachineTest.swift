import GameFlowTesting
import ShippedFlows
import Testing
import Timers

@Test func `the chooser times out`() throws {
    // block 1
}
