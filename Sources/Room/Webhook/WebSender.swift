package import EventLoop
import Net
package import Outputs
import Timers

/// Sends the HTTP requests of outputs: looks the host up, checks the address, and interprets the status. `OutputSenders` owns
/// one `WebSender`. All calls are on the loop's thread.
package final class WebSender: OutputSender {
    private typealias Done = (DeliveryResult) -> Void

    private let loop: LibeventLoop
    private let lookups: HostLookups
    /// The settings of TLS connections; nil until a line needs them.
    private var tls: TLSClientContext?
    /// The number of the most recent request.
    private var newestNumber = 0
    /// The requests that are being sent, by number.
    private var sentRequests: [Int: OutgoingRequest] = [:]
    /// Which of the host's addresses the next request to an origin uses: an index in the list of addresses, by the text of the
    /// origin. An origin without a failed request has no index. When a request fails, the next address of the list is selected.
    private var nextAddresses: [String: Int] = [:]

    package init(on loop: LibeventLoop) {
        self.loop = loop
        lookups = HostLookups(on: loop)
    }

    /// Reads the certificates of the system's authorities, which requests by `https` need. Reading them takes longer than all
    /// other work at the start of the daemon. So a daemon that sends no request by `https` does not read them.
    package func prepare(for targets: [any OutputTarget]) {
        guard tls == nil, targets.contains(where: { ($0 as? WebOutput)?.origin.isSecure == true })
        else { return }
        tls = try? TLSClientContext(authorities: nil)
    }

    /// Sends a request, and calls `done` once, in a later turn of the loop. The lookup of the host counts for the time-out.
    package func send(
        _ request: WebRequestContent, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let deadline = loop.timerQueue.now + attempt.timeout
        lookups.start(request.origin.host, request.origin.port) { [unowned self] answer in
            send(request, to: answer, by: deadline, done)
        }
    }

    /// Sends a request to one of the addresses in the answer of a lookup. `deadline` is on the loop's clock.
    private func send(
        _ request: WebRequestContent, to answer: HostLookup.Answer, by deadline: Instant,
        _ done: @escaping Done
    ) {
        // Reads the clock again, so that `timeout` is exact. Due timers also fire, such as the time-out of this attempt.
        loop.fireDueTimers()
        let timeout = deadline - loop.timerQueue.now
        // If no time is left, the caller's time-out has ended the attempt. A request that is sent now could reach the receiver
        // after the output was given up.
        guard timeout > .zero else {
            return done(.failed("the look-up of \(request.origin.host) took too long"))
        }
        let addresses: [SocketAddress]
        switch answer {
        case .failure(let error): return done(.failed(error.why))
        case .success(let resolved): addresses = resolved
        }
        let origin = request.origin.text
        // The request connects to one of these addresses and does not look the host up again, so the check cannot be
        // circumvented.
        let allowedAddresses = addresses.filter {
            request.allowsSpecial || !SpecialAddress.includes($0)
        }
        if allowedAddresses.isEmpty, let text = addresses.first?.numericHost {
            return done(.impossible(SpecialAddress.sentence(about: text)))
        }
        guard !allowedAddresses.isEmpty,
            case let index = nextAddresses[origin, default: 0] % allowedAddresses.count,
            let text = allowedAddresses[index].numericHost
        else { return done(.failed("\(request.origin.host): no address")) }
        newestNumber += 1
        let number = newestNumber
        sentRequests[number] = OutgoingRequest(request, to: text, timeout: timeout, tls, on: loop) {
            [unowned self] ending in
            sentRequests[number] = nil
            if case .failed = ending {
                nextAddresses[origin] = (index + 1) % allowedAddresses.count
            }
            done(Self.result(ending))
        }
    }

    private static func result(_ ending: OutgoingRequest.Ending) -> DeliveryResult {
        switch ending {
        case .status(200..<300): .delivered
        case .status(410): .rejected("410: the receiver wants no more requests")
        case .status(300..<400): .failed("a redirect, which is not followed")
        case .status(let status): .failed("status \(status)")
        case .failed(let why): .failed(why)
        }
    }
}
