import GamectlTool
import HeistFlow
import ShippedFlows

/// The client: gamectl with the same flows, for `lint heist`, `test`, `replay` and `journal`.
@main struct HeistCtl { static func main() { GamectlTool.run(flows: .shipped + [HeistFlow()]) } }
