internal import GameFlow
internal import Timers

/// The diagram in Mermaid, which code hosts such as GitHub, and many editors, render inside a page.
extension Diagram {
    var mermaid: String {
        var lines = ["stateDiagram-v2", "    [*] --> \(flow.initial)"]
        for state in states {
            for arrow in arrows(from: state) {
                lines.append("    \(state.state) --> \(arrow.to): \(label(arrow))")
            }
            if isFinal(state) { lines.append("    \(state.state) --> [*]") }
            let deferred = deferredEvents(of: state)
            if !deferred.isEmpty {
                lines += [
                    "    note right of \(state.state)",
                    "        \(deferred.joined(separator: ", ")) waits",
                    "    end note",
                ]
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The events and timers of an arrow. `(stays)` marks the label of an arrow with events that keep the state. An arrow with
    /// only timers has no mark.
    private func label(_ arrow: Arrow) -> String {
        let timers = arrow.timers.map {
            $0.info.isPendulum
                ? "♩ \($0.fires) each \($0.length)" : "⏱ \($0.fires) \($0.length)"
        }
        let label = (arrow.events + timers).joined(separator: ", ")
        return arrow.isKeep && !arrow.events.isEmpty ? label + " (stays)" : label
    }
}
