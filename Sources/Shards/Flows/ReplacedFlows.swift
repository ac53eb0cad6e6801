package import EventLoop
package import GameFlow
import Timers

/// The flows of flow files that were read again. They are released a few at a time: a flow consists of hundreds of small
/// objects, and to release a thousand flows at once would hold the loop.
package final class ReplacedFlows {
    private let loop: LibeventLoop
    /// The flows that are still to be released. A flow that a session plays lives on.
    private var flows: [AnyFlow] = []
    private lazy var task = DeferredTask(on: loop) { [unowned self] in releaseSome() }
    /// How long flows are released in one turn of the loop.
    private static let time = Duration.milliseconds(2)

    package init(on loop: LibeventLoop) { self.loop = loop }

    /// Takes flows over, and releases them in the next turns.
    package func add(_ replaced: [AnyFlow]) {
        flows += replaced
        task.call()
    }

    private func releaseSome() {
        let start = ContinuousClock.now
        while !flows.isEmpty, ContinuousClock.now - start < Self.time { flows.removeLast() }
        guard !flows.isEmpty else { return }
        task.call()
        loop.endTurn()
    }
}
