import EventLoop
package import Parts
import RPC
import Timers

/// The alerts about `map` lines whose devices have sent nothing for the time of `quiet=`, in real time.
extension BluetoothSource: AlertedState {
    package func update(_ alerts: AlertBoard) {
        guard !quietAlerts.isEmpty || maps.maps.contains(where: { $0.quiet != nil }) else { return }
        let now = loop.timerQueue.now
        var lines: [QuietAlerts.QuietLine] = []
        for (index, map) in maps.maps.enumerated() {
            guard let quiet = map.quiet, matches.quietTime(of: index, at: now) >= quiet,
                case .press(_, _, let event) = map.trigger
            else { continue }
            let name = "\(map.device.pattern) event=\(event)"
            lines.append(.init(name, "The device \(map.device.pattern) (\(event))", quiet))
        }
        quietAlerts.update(alerts, lines)
    }
}
