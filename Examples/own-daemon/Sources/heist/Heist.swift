import GamedServer
import HeistFlow
import ShippedFlows

/// The daemon: gamed with one more flow.
@main struct Heist { static func main() { GamedServer.run(flows: .shipped + [HeistFlow()]) } }
