import EventLoop
import Support
import Timers

/// Opens a network address that was not available at the start: tries again, with increasing pauses, until an attempt succeeds.
final class DelayedSocket {
    private let loop: LibeventLoop
    /// The option that names the address: `http` or `listen`.
    private let option: String
    private let (host, port): (String, UInt16)
    private let opened: (consuming NetworkSocket) -> Void
    /// The results of name lookups, which other threads send to the loop.
    private let lookupAnswers: ThreadInbox<HostLookup.Answer>
    private var answerWatcher: DescriptorWatcher?
    private var backoff = Backoff()
    private var retryTimer: ScopedCountdown?
    private var failureCount = 0

    /// `failure` is the result of the first attempt. The 1st, 2nd, 4th, 8th … failure is logged. Calls
    /// `opened` once, with the socket.
    init(
        _ option: String, host: String, port: UInt16, _ failure: NetworkSocket.SocketError,
        on loop: LibeventLoop, opened: @escaping (consuming NetworkSocket) -> Void
    ) throws(EventLoopError) {
        (self.option, self.host, self.port) = (option, host, port)
        (self.loop, self.opened) = (loop, opened)
        lookupAnswers = try ThreadInbox()
        answerWatcher = try lookupAnswers.open(on: loop) { [unowned self] in lookupEnded($0) }
        failed(failure)
    }

    private func failed(_ failure: NetworkSocket.SocketError) {
        failureCount += 1
        if LogThrottle.isLogged(failureCount) {
            let times = failureCount == 1 ? "" : "; tried \(failureCount) times"
            Log.write(
                .warning,
                "--\(option): cannot listen yet at \(failure.why); gamed tries again\(times)")
        }
        retryTimer = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in tryAgain() }
    }

    /// Begins the next attempt. A name is resolved on a separate thread, because a name server could block the loop.
    private func tryAgain() {
        if let addresses = HostLookup.numericAddresses(of: host, port) {
            return lookupEnded(.success(addresses))
        }
        HostLookup.start(host, port) { [lookupAnswers] in lookupAnswers.send($0) }
    }

    private func lookupEnded(_ answer: HostLookup.Answer) {
        do throws(NetworkSocket.SocketError) {
            switch answer {
            case .success(let addresses): opened(try NetworkSocket(addresses, of: host, port))
            case .failure(let error): failed(NetworkSocket.SocketError(error))
            }
        } catch { failed(error) }
    }
}
