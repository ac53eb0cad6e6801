package import Access
import EventLoop
import GameFlow
package import HTTP
package import Net
import Parts
import RPC
import Sessions
import Support
package import Timers

/// A connection over which HTTP requests arrive, one after the other. It reads a request, lets `WebServer` answer it, sends the
/// answer, and then reads the next request. No method blocks. All calls are on the loop's thread.
package final class HTTPConnection {
    /// The server owns this connection until `close` calls `server.remove`.
    private unowned let server: WebServer
    package let context: ServerContext
    let channel: any Channel
    package let number: Int
    /// When the connection was made, in milliseconds of the sessions' clock.
    let since: Int
    /// The requests and refusals of the last minute.
    @exclusivity(unchecked) var recent = RecentRequests()
    /// The number of bytes of the answer that were not sent yet.
    var unsentBytes: Int { output.count - sentCount + rest.count }
    /// The identity by the socket and the certificate, without a token.
    package private(set) var identity: Identity
    /// The requests that the account of `identity` may still make.
    private(set) var bucket: RateLimiter.TokenBucket
    /// The address of the daemon's end of the connection; nil for a UNIX socket. Stored, because it needs a system call.
    let localAddress: String?
    /// Whether the other end is a trusted proxy. Its connections are not counted by host: each carries the requests of many.
    let isFromProxy: Bool
    private let input: ChannelInput
    @exclusivity(unchecked) private var reader: RequestReader
    /// The headers of the answer to the present request.
    @exclusivity(unchecked) package var response = ResponseHead()
    /// The bytes of the answer, from `sentCount` on those that were not sent, and what follows them.
    @exclusivity(unchecked) private var output: [UInt8] = []
    @exclusivity(unchecked) private var sentCount = 0
    @exclusivity(unchecked) private var rest = Rest.nothing
    @exclusivity(unchecked) private var phase = Phase.reading
    /// Whether input has arrived while an answer was being made or sent.
    @exclusivity(unchecked) private var hasInputWaiting = false
    /// When the present phase must have ended; nil if it may last.
    @exclusivity(unchecked) private var deadline: Instant?
    /// Looks at `deadline`. The timer is not set again for each request, which would take longer than to read it: if it fires
    /// early, it is set for the rest of the time.
    private var timer = Alarm()
    /// When `timer` fires while it is set.
    @exclusivity(unchecked) private var timerEnd = Instant.zero

    /// What follows the bytes of the answer.
    private enum Rest {
        case nothing
        /// A file in memory.
        case bytes([UInt8])
        /// A file on the disk, from which the next piece is read when everything before was sent.
        case pieces(FilePieces)

        /// The number of bytes.
        var count: Int {
            switch self {
            case .nothing: 0
            case .bytes(let bytes): bytes.count
            case .pieces(let pieces): pieces.count
            }
        }
    }

    /// How far the connection has come with the present request.
    private enum Phase {
        /// There is no request.
        case idle
        /// The head or the body of a request is arriving. Until the first request, a TLS handshake counts as this too.
        case reading
        /// A request has arrived. Its answer is being made, or is complete and not completely sent.
        case answering
        /// A request has arrived, and the responder answers it later.
        case awaiting(any Responder)
        /// The answer is an event stream, which ends with the connection. Further input is dropped.
        case streaming(WebStream)
        case closed
    }

    /// Takes over a channel. The connection was made after the instant `since`.
    package init(
        _ channel: any Channel, _ identity: Identity, at localAddress: String?, isFromProxy: Bool,
        since: Instant, of server: WebServer
    ) {
        (self.channel, self.identity, self.server) = (channel, identity, server)
        (self.localAddress, self.isFromProxy) = (localAddress, isFromProxy)
        context = server.context
        number = context.nextConnectionNumber()
        self.since = Int(context.sessions.now.milliseconds)
        bucket = context.accountLimits.bucket(of: identity)
        input = ChannelInput(
            channel, context.webShare, context.readBuffer, on: context.loop, since: since)
        reader = RequestReader(
            headLimit: context.limits.headerBytes, bodyLimit: context.limits.bodyBytesRead)
        // Retains the connection during each call, because the call may close the connection, and then the server releases it.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { handleInput() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { handleSpace() } }
        setDeadline(after: context.limits.requestTime)
    }

    /// Called when the TLS handshake has ended.
    func handshakeEnded(_ isComplete: Bool) {
        guard isComplete else { return close() }
        guard let certificate = (channel as? TLSChannel)?.certificateName,
            case .address(let address)? = identity.peer
        else { return }
        identity = Identity(.web, address: address, certificate: certificate)
        bucket = context.accountLimits.bucket(of: identity)
    }

    /// The host under which the connection is counted; nil if it is not counted by host.
    var countedHost: String? { isFromProxy ? nil : identity.host }

    /// An instant after which the present request began to arrive.
    package var sentSince: Instant { input.since }

    /// The head of the request that is being answered.
    package var head: RequestHead { reader.head }
    /// The body of the request that is being answered; empty if it is too long to be read.
    package var body: ArraySlice<UInt8> { reader.body }
    /// Whether the body is longer than the limit `bodyBytes`. If it is much longer, it is not read.
    var isBodyTooLong: Bool {
        reader.isBodyTooLong || reader.body.count > context.limits.bodyBytes
    }
    /// Whether a request has arrived, and its answer is not completely sent.
    package var isAnswering: Bool {
        switch phase {
        case .answering, .awaiting: true
        case .idle, .reading, .streaming, .closed: false
        }
    }
    /// The stream that the connection sends, or that is about to begin; nil for a connection without a stream.
    package var stream: WebStream? {
        switch phase {
        case .streaming(let stream): stream
        case .awaiting(let responder): responder as? WebStream
        case .idle, .reading, .answering, .closed: nil
        }
    }

    // MARK: input

    /// Called by the channel when input can be read.
    private func handleInput() {
        // Timers that are due fire before the request.
        context.loop.fireDueTimers()
        let dropsInput: Bool
        switch phase {
        case .idle, .reading: dropsInput = false
        case .streaming: dropsInput = true
        case .answering, .awaiting:
            hasInputWaiting = true
            return input.wait(false)
        case .closed: return
        }
        guard input.hasTimeThisTurn() else { return }
        if dropsInput { dropInput() } else { readRequest() }
        // Counts the time since the clock was read as time that this turn of the loop has used for HTTP.
        input.chargeTime()
    }

    /// Reads on, and answers the request if it is complete. One call answers one request, so that a client that sends many at once
    /// does not keep others waiting.
    private func readRequest() {
        do throws(HTTPFramingError) {
            // A request that has arrived together with the previous one needs no further input.
            var isComplete = false
            if reader.hasUnreadBytes {
                input.leave()
                isComplete = try reader.read()
            }
            if !isComplete {
                guard receive() else { return }
                isComplete = try reader.read()
            }
            guard isComplete else { return awaitRest() }
            beginAnswer()
        } catch {
            beginAnswer()
            return reply(WebError(error), to: identity.account)
        }
        server.answer(self)
    }

    /// Reads bytes from the channel. Returns false if it has no bytes.
    private func receive() -> Bool {
        switch input.read(beginsRequest: !reader.isInRequest, { reader.append($0) }) {
        case .bytes: return true
        case .later: return false
        case .end, .broken:
            close()
            return false
        }
    }

    /// Waits for the rest of a request. The first byte of a request starts the time limit for the whole request.
    private func awaitRest() {
        if case .idle = phase, reader.isInRequest {
            phase = .reading
            setDeadline(after: context.limits.requestTime)
        }
        input.wait(true)
        guard reader.awaitsContinue else { return }
        reader.didContinue()
        let answer: StaticString = "HTTP/1.1 100 Continue\r\n\r\n"
        let bytes = UnsafeRawBufferPointer(
            start: answer.utf8Start, count: answer.utf8CodeUnitCount)
        // Everything before was sent, so there is room for these few bytes.
        if channel.write(bytes) != .bytes(bytes.count) { close() }
    }

    /// Reads and drops what arrives during a stream, in order to notice the end of the connection.
    private func dropInput() {
        switch input.drop() {
        case .bytes, .later: break
        case .end, .broken: close()
        }
    }

    // MARK: answers

    private func beginAnswer() {
        (phase, deadline) = (.answering, nil)
        recent.requests &+= 1
        response.isVersion10 = reader.head.isVersion10
        response.isForHead = reader.head.method == .head
        response.closesConnection = reader.head.closesConnection || reader.isBodyTooLong
    }

    /// Keeps what answers the present request, until the answer is complete or the connection is closed.
    func setResponder(_ responder: any Responder) { phase = .awaiting(responder) }

    /// Sends the answer. `type` is the media type of the body.
    package func reply(
        _ status: WebStatus, _ type: StaticString? = nil, _ body: UnsafeRawBufferPointer
    ) {
        guard isAnswering else { return }
        writeHead(status, type, body.count)
        if !response.isForHead { output.append(contentsOf: body) }
        endAnswer()
    }

    package func reply(_ status: WebStatus, _ type: StaticString, _ body: [UInt8]) {
        body.withUnsafeBytes { reply(status, type, $0) }
    }

    /// Sends an answer without a body, such as 204.
    package func reply(_ status: WebStatus) {
        reply(status, nil, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Sends a file that is in memory; its bytes are not copied.
    func reply(_ type: StaticString, sharing bytes: [UInt8]) {
        guard isAnswering else { return }
        writeHead(.ok, type, bytes.count)
        if !response.isForHead { rest = .bytes(bytes) }
        endAnswer()
    }

    /// Sends a range of a file that is on the disk. Closes the connection if the file cannot be read.
    func reply(
        _ status: WebStatus, _ type: StaticString, _ file: PassedFile, _ range: Range<Int>
    ) {
        guard isAnswering else { return }
        writeHead(status, type, range.count)
        if !response.isForHead, !range.isEmpty {
            let pieces = try? FilePieces(file, range, on: context.loop) { [unowned self] in
                if let bytes = $0 { send(bytes) } else { close() }
            }
            guard let pieces else { return close() }
            rest = .pieces(pieces)
        }
        endAnswer()
    }

    /// Sends the next piece of a file.
    private func send(_ bytes: [UInt8]) {
        if case .pieces(let pieces) = rest, pieces.count == 0 { rest = .nothing }
        (output, sentCount) = (bytes, 0)
        flush()
    }

    /// Sends an error in place of a result. If a limit has refused the request, counts this for the account.
    package func reply(_ error: WebError, to account: String) {
        if case .uncountedLimit(let limit) = error.cause {
            context.accountLimits.count(limit, account)
        }
        reply(error)
    }

    /// Sends an error in place of a result. No limit has caused the error, or the refusal was counted.
    package func reply(_ error: WebError) {
        if let allow = error.allow { response.set("Allow", allow) }
        if error.closesConnection { response.closesConnection = true }
        recent.refusals &+= 1
        if error.isRequestCounted { countRequest(error.outcome) }
        reply(error.status, "application/json", error.body)
    }

    /// Counts a request that no dispatcher counts, because it names no method.
    func countRequest(_ outcome: RequestMeter.Outcome) {
        context.protocolHandler.meter.count(nil, outcome)
    }

    private func writeHead(_ status: WebStatus, _ type: StaticString?, _ bodyLength: Int) {
        if server.isStopping { response.closesConnection = true }
        let hasBody = status != .noContent && status != .notModified
        response.write(
            status, type, hasBody ? .bytes(bodyLength) : .nothing, date: server.date.text(),
            to: &output)
    }

    /// The head of the answer that is this event stream. From now on, the stream writes to the channel.
    func begin(_ stream: WebStream, _ type: StaticString) -> [UInt8] {
        phase = .streaming(stream)
        countRequest(.ok)
        // Without chunks, the stream ends with the connection.
        if response.isVersion10 { response.closesConnection = true }
        var bytes: [UInt8] = []
        response.write(.ok, type, .stream, date: server.date.text(), to: &bytes)
        if hasInputWaiting { input.wait(true) }
        return bytes
    }

    private func endAnswer() {
        phase = .answering
        flush()
    }

    /// Called by the channel when it accepts output again.
    private func handleSpace() {
        if case .streaming(let stream) = phase { stream.flush() } else { flush() }
    }

    /// Writes the answer, as much as the client accepts. Then reads the next piece of a file, or the next request.
    private func flush() {
        while sentCount < output.count {
            let result = output.withUnsafeBytes {
                channel.write(UnsafeRawBufferPointer(rebasing: $0[sentCount...]))
            }
            guard case .bytes(let count) = result else {
                guard result == .later else { return close() }
                // A client that reads nothing for so long has gone, or holds memory for nothing.
                setDeadline(after: context.limits.idleTime)
                return channel.waitForSpace(true)
            }
            sentCount += count
            if sentCount == output.count, case .bytes(let bytes) = rest {
                (output, rest, sentCount) = (bytes, .nothing, 0)
            }
        }
        guard case .pieces(let pieces) = rest else { return endRequest() }
        deadline = nil
        channel.waitForSpace(false)
        do throws(EventLoopError) { try pieces.readNext() } catch { close() }
    }

    /// The capacity in bytes that the buffer of an idle connection may keep.
    private static let idleCapacity = 4096

    private func endRequest() {
        channel.waitForSpace(false)
        if response.closesConnection { return closeAfterReading() }
        output.removeAll(keepingCapacity: output.capacity <= Self.idleCapacity)
        (sentCount, response) = (0, ResponseHead())
        reader.freeLongRequest()
        let hasNextRequest = reader.hasUnreadBytes
        phase = hasNextRequest ? .reading : .idle
        setDeadline(after: hasNextRequest ? context.limits.requestTime : context.limits.idleTime)
        if !hasNextRequest, hasInputWaiting {
            hasInputWaiting = false
            channel.waitForInput(true)
            channel.callReadableLater()
        } else if hasNextRequest {
            channel.callReadableLater()
        }
        input.recordWait(!hasInputWaiting)
    }

    // MARK: the end

    /// Sets when the present phase must have ended.
    private func setDeadline(after time: Duration) {
        let end = context.loop.timerQueue.now + time
        deadline = end
        if !timer.isSet || timerEnd > end { setTimer(end) }
    }

    private func setTimer(_ end: Instant) {
        timerEnd = end
        timer.set(on: context.loop, end - context.loop.timerQueue.now) {
            [unowned self] in
            guard let deadline else { return }
            guard deadline <= context.loop.timerQueue.now else { return setTimer(deadline) }
            if isAnswering {
                context.accountLimits.report(
                    "idleMs", identity.account,
                    "\(identity.logDescription): closed, because it does not read its answer")
                return close()
            }
            var error = WebError(.requestTimeout, why: "the request did not arrive in time")
            error.isRequestCounted = reader.isInRequest
            reportLateRequest()
            phase = .answering
            response.closesConnection = true
            reply(error)
        }
    }

    /// Counts a request that did not arrive in time. A connection that waits for its next request has done nothing wrong, and is not
    /// logged.
    private func reportLateRequest() {
        if case .idle = phase { return context.accountLimits.count("idleMs", identity.account) }
        context.accountLimits.report(
            "headerMs", identity.account,
            "\(identity.logDescription): a request did not arrive in time")
    }

    /// Closes the connection after its last answer.
    private func closeAfterReading() {
        input.dropArrived()
        close()
    }

    /// Reads no further request. Closes the connection, at once or after the present answer. Does not wait for a file on the disk:
    /// browsers read a video as they play it, and ask for the rest later.
    package func end() {
        if case .pieces = rest { return close() }
        if !isAnswering { close() }
    }

    /// Closes the connection at once.
    package func close() {
        let lastPhase = exchange(&phase, with: .closed)
        if case .closed = lastPhase { return }
        timer.stop()
        switch lastPhase {
        case .awaiting(let responder): responder.connectionClosed()
        case .streaming(let stream): stream.connectionClosed()
        case .idle, .reading, .answering, .closed: break
        }
        channel.close()
        server.remove(self)
    }
}

/// What answers an HTTP request later: a call or an event stream. It belongs to the connection.
package protocol Responder: Client {
    /// Called when the connection is closed before the answer is complete. The responder must not use it any more.
    func connectionClosed()
}
