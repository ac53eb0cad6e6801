import ShippedFlows

typealias Checkout = Startup

// block 1
