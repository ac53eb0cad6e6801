import EventLoop
import Timers

/// A client whose TLS handshake is in progress, with a time limit.
final class TLSHandshake {
    /// Called once: whether the handshake was completed.
    var done: (Bool) -> Void = { _ in }
    private let channel: TLSChannel
    private var patience: ScopedCountdown?

    init(_ channel: TLSChannel, on loop: LibeventLoop, within time: Duration) {
        self.channel = channel
        channel.arrived = { [unowned self] in end($0) }
        patience = ScopedCountdown(on: loop, time) { [unowned self] in end(false) }
    }

    private func end(_ hasArrived: Bool) {
        guard exchange(&patience, with: nil) != nil else { return }
        channel.arrived = nil
        done(hasArrived)
    }
}
