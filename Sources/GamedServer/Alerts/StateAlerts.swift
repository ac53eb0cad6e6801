import EventLoop
import Parts
import RPC
import Timers

/// Begins and ends the alerts about the state of the daemon itself: its journal, its shards and its clock.
final class StateAlerts: Part {
    private let alerts: AlertBoard
    private var states: [any AlertedState]
    let methods: [any PartMethod]
    /// Checks the state once a second.
    private var timer = Ticker()

    init(
        _ alerts: AlertBoard, _ states: [any AlertedState], _ otherNodes: any OtherNodes,
        on loop: LibeventLoop
    ) {
        (self.alerts, self.states) = (alerts, states)
        methods = [AlertsMethod(alerts, otherNodes)]
        timer.start(on: loop, .seconds(1)) { [unowned self] _ in
            for state in self.states { state.update(self.alerts) }
        }
    }

    /// Begins and ends the alerts of this state, too.
    func add(_ state: any AlertedState) {
        states.append(state)
        state.update(alerts)
    }

    func writeMetrics(to page: inout MetricsPage) {
        for alert in alerts.alerts { page.add(.alerts, [alert.kind.rawValue], 1) }
    }

    func stop() { timer.stop() }
}
