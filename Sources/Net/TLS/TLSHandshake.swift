package import EventLoop
import Timers

/// A TLS handshake in progress, with a time limit. `LineServer` owns it, and releases it when it has ended.
package final class TLSHandshake {
    /// Called once at the end, with whether the handshake is complete: false if the handshake failed or took too long.
    private let ended: (TLSHandshake, Bool) -> Void
    private let channel: TLSChannel
    private var timeout: ScopedCountdown?

    package init(
        _ channel: TLSChannel, on loop: LibeventLoop, within time: Duration,
        ended: @escaping (TLSHandshake, _ isComplete: Bool) -> Void
    ) {
        (self.channel, self.ended) = (channel, ended)
        channel.handshakeEnded = { [unowned self] in end($0) }
        timeout = ScopedCountdown(on: loop, time) { [unowned self] in end(false) }
    }

    /// Ends the handshake as failed.
    package func cancel() { end(false) }

    /// Calls `ended`, if it was not called yet: `timeout` is nil after the end.
    private func end(_ isComplete: Bool) {
        guard exchange(&timeout, with: nil) != nil else { return }
        channel.handshakeEnded = nil
        ended(self, isComplete)
    }
}
