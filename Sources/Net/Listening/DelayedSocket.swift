package import EventLoop
import Support
import Timers

/// Opens a network address that was not available at the start: tries again, with increasing pauses, until an attempt succeeds.
package final class DelayedSocket {
    private let loop: LibeventLoop
    private let (host, port): (String, UInt16)
    /// Receives the error of each failed attempt, and the number of attempts so far.
    private let attemptFailed: (NetworkSocket.SocketError, _ attempts: Int) -> Void
    /// Receives the socket.
    private let opened: (consuming NetworkSocket) -> Void
    private let lookups: HostLookups
    /// Computes the pause after each failure.
    private var backoff = Backoff()
    private var retryTimer: ScopedCountdown?
    private var failureCount = 0

    /// Starts the first pause. `failure` is the error of the attempt at the start; `attemptFailed` is called for it too. Calls
    /// `opened` once, with the socket. The attempts end when this object is released.
    package init(
        host: String, port: UInt16, _ failure: NetworkSocket.SocketError, on loop: LibeventLoop,
        attemptFailed: @escaping (NetworkSocket.SocketError, _ attempts: Int) -> Void,
        opened: @escaping (consuming NetworkSocket) -> Void
    ) {
        (self.host, self.port, self.loop) = (host, port, loop)
        (self.attemptFailed, self.opened) = (attemptFailed, opened)
        lookups = HostLookups(on: loop)
        failed(failure)
    }

    /// Reports a failure, and schedules the next attempt.
    private func failed(_ failure: NetworkSocket.SocketError) {
        failureCount += 1
        attemptFailed(failure, failureCount)
        retryTimer = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in tryAgain() }
    }

    /// Begins the next attempt. A name server could block the loop, so a name is looked up on a thread.
    private func tryAgain() {
        if let addresses = HostLookup.numericAddresses(of: host, port) {
            return lookupEnded(.success(addresses))
        }
        lookups.start(host, port) { [unowned self] in lookupEnded($0) }
    }

    /// Listens at the first of the addresses that can be bound; otherwise schedules the next attempt.
    private func lookupEnded(_ answer: HostLookup.Answer) {
        do throws(NetworkSocket.SocketError) {
            switch answer {
            case .success(let addresses): opened(try NetworkSocket(addresses, of: host, port))
            case .failure(let error): failed(NetworkSocket.SocketError(error))
            }
        } catch { failed(error) }
    }
}
