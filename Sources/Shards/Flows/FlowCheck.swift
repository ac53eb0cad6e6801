package import GameFlow

/// Checks the flows that a program passes to `GamedServer.run(flows:)`, at the start of the daemon and for `--check`.
package enum FlowCheck {
    /// The mistakes in the flows, a sentence each. It is a mistake if there is no flow, if two flows have the same name, or if
    /// a flow itself has mistakes.
    package static func mistakes(_ flows: [AnyFlow]) -> [String] {
        if flows.isEmpty { return ["there is no flow; give GamedServer.run(flows:) at least one"] }
        let names = flows.map(\.name)
        let duplicates = Set(names.filter { name in names.count { $0 == name } > 1 })
        return duplicates.sorted().map { "two flows have the name \($0); rename one" }
            + flows.flatMap { flow in flow.mistakes.map { "the flow \(flow.name): \($0)" } }
    }
}
