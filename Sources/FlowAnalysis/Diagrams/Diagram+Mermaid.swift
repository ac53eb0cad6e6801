internal import GameFlow
internal import Timers

/// The diagram in Mermaid, which code hosts such as GitHub, and many editors, render inside a page. Mermaid has no dashed
/// transitions, so the rows of a flow file that no try took are marked with `(not tried)`.
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

    /// The events and timers of an arrow, with the mark of rows that no try took. `(stays)` marks the label of an arrow with
    /// events that keep the state; an arrow with only timers does not have this mark.
    private func label(_ arrow: Arrow) -> String {
        let timers = arrow.timers.map {
            $0.info.isPendulum
                ? "♩ \($0.fires) each \($0.length)" : "⏱ \($0.fires) \($0.length)"
        }
        let label = (arrow.events + timers).joined(separator: ", ")
        let stays = arrow.isKeep && !arrow.events.isEmpty ? " (stays)" : ""
        return label + stays + (arrow.wasTried ? "" : " (not tried)")
    }
}
