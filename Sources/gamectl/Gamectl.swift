import GamectlTool
import ShippedFlows

/// The command-line client of the daemon with the shipped flows.
@main struct Gamectl {
    static func main() { GamectlTool.run(flows: .shipped) }
}
