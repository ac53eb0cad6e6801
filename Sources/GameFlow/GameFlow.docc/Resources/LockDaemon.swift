import GamedServer
import Lock
import ShippedFlows

@main struct LockDaemon {
    static func main() { GamedServer.run(flows: .shipped + [Lock()]) }
}
