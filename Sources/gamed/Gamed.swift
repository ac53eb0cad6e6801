import GamedServer
import ShippedFlows

/// The daemon with the shipped flows.
@main struct Gamed {
    static func main() { GamedServer.run(flows: .shipped) }
}
