package import EventLoop
import Timers

/// A TLS handshake in progress, with a time limit. `LineServer` owns it, and releases it when it has ended.
package final class TLSHandshake {
    /// How a handshake has ended.
    package enum End {
        case complete, failed
        /// It took too long.
        case late
    }

    /// Called once at the end.
    private let ended: (TLSHandshake, End) -> Void
    private let channel: TLSChannel
    private var timeout: ScopedCountdown?

    package init(
        _ channel: TLSChannel, on loop: LibeventLoop, within time: Duration,
        ended: @escaping (TLSHandshake, End) -> Void
    ) {
        (self.channel, self.ended) = (channel, ended)
        channel.handshakeEnded = { [unowned self] in end($0 ? .complete : .failed) }
        timeout = ScopedCountdown(on: loop, time) { [unowned self] in end(.late) }
    }

    /// Ends the handshake as failed.
    package func cancel() { end(.failed) }

    /// Calls `ended`, if it was not called yet: `timeout` is nil after the end.
    private func end(_ end: End) {
        guard exchange(&timeout, with: nil) != nil else { return }
        channel.handshakeEnded = nil
        ended(self, end)
    }
}
