import GameFlow
import ShippedFlows

// block 2
