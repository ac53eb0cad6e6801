package import Access
import Cluster
import EventLoop
import GameFlow
import JSONCoding
package import Net
package import Parts
package import RPC
package import Sessions
package import Support
package import Timers

/// A connection to `LineServer`, over which a client sends requests in lines, or another node sends frames in lines. No method
/// blocks. All calls are on the loop's thread.
///
/// The properties that each line or turn reads are `@exclusivity(unchecked)`, because the checks would take a fortieth of a request.
/// This is safe: no other code runs during an access to them.
package final class Connection: StreamingClient {
    @exclusivity(unchecked) package private(set) var identity: Identity
    @exclusivity(unchecked) package private(set) var rights: Rights
    /// The server owns this connection until `close` calls `server.remove`.
    package unowned let server: LineServer
    package let context: ServerContext
    let channel: any Channel
    package let number: Int
    /// When the connection was made, in milliseconds of the sessions' clock.
    let since: Int
    /// The requests of the last minute.
    @exclusivity(unchecked) private var minute = RecentRequests()
    /// The requests and refusals of the last minute.
    var recent: RecentRequests {
        get {
            var recent = minute
            recent.refusals = outbox.refusals
            return recent
        }
        set { minute = newValue }
    }
    /// The requests that the client's account may still make.
    @exclusivity(unchecked) private var bucket: RateLimiter.TokenBucket
    private let input: ChannelInput
    /// The lines that were read and not answered.
    @exclusivity(unchecked) private var lines = LineBuffer()
    /// Whether the channel waits for input and for nothing else, and the connection has handled all input that it has read.
    /// `afterFlush` found that, and has nothing to do until input arrives or output remains.
    @exclusivity(unchecked) private var waitsForInputOnly = false
    package let subscriber: Subscriber
    /// Whether `flush` is called before the loop sleeps.
    @exclusivity(unchecked) package var isFlushScheduled = false
    /// Whether the connection waits for the next outcome of the store.
    @exclusivity(unchecked) package var isReleaseScheduled = false
    /// Handles the lines of the protocol between nodes. Set if the other end is a node, or is proving that it is a node. Nil
    /// for a client.
    private var incomingLink: IncomingNodeLink?
    /// When output was written most recently, by the loop's clock.
    @exclusivity(unchecked) private var lastWrite = Instant.zero
    @exclusivity(unchecked) package private(set) var writtenBytes = 0
    /// Sends the next heartbeat if the client watches something.
    var heartbeatTimer = Alarm()
    /// Closes the connection if no line arrives in time.
    @exclusivity(unchecked) private var idleTimer = Alarm()
    package var graceTimer = Alarm()
    @exclusivity(unchecked) package private(set) var phase = Phase.open
    /// What is known about the other end; decides which limits apply to the connection.
    @exclusivity(unchecked) private(set) var peerKind: PeerKind

    /// What is known about the other end of a connection.
    package enum PeerKind {
        case client
        /// The connection was made while a limit for clients was reached. If the other end proves that it is a node, the
        /// connection is accepted. Otherwise the other end gets this error about the limit, and the connection ends.
        case applicant(RequestError)
        case node
    }

    /// The connection of another node is closed if the node sends no line for this time. A node sends a line at least every
    /// 5 seconds.
    static let nodeSilence = Duration.seconds(20)

    /// How far the connection has come; the phases follow one another, and `ended` and `closing` may be skipped.
    package enum Phase {
        case open
        /// The client has ended its input; its last requests are still being answered.
        case ended
        /// No further request is answered; the remaining output is still sent.
        case closing
        case closed
    }

    /// Takes over a channel. The idle time of a network client begins now. The time in which an applicant must prove that it is
    /// a node also begins now. `becomeNode` starts the time limit of a node. The connection was made after the instant `since`.
    package init(
        _ channel: any Channel, _ identity: Identity, _ peerKind: PeerKind, since: Instant,
        of server: LineServer
    ) {
        (self.channel, self.identity, self.server) = (channel, identity, server)
        self.peerKind = peerKind
        context = server.context
        number = context.nextConnectionNumber()
        self.since = Int(context.sessions.now.milliseconds)
        input = ChannelInput(
            channel, identity.kind == .unix ? context.unixShare : context.tcpShare,
            context.readBuffer, on: context.loop, since: since)
        rights = context.authorizer.rights(of: identity)
        bucket = context.accountLimits.bucket(of: identity)
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
        // Retains the connection during each call, because the call may close the connection, and then the server releases it.
        channel.readable = { [unowned self] in withExtendedLifetime(self) { handleInput() } }
        channel.writable = { [unowned self] in withExtendedLifetime(self) { flush() } }
        switch peerKind {
        case .client: if identity.kind != .unix { startIdleTimer() }
        case .applicant(let refusal):
            // Time for the other end to prove that it is a node.
            idleTimer.set(on: context.loop, limits.requestTime) { [unowned self] in
                refuse(refusal)
                flush()
            }
        case .node: break
        }
    }

    package var limits: ServerLimits { context.limits }
    package var isGone: Bool { phase == .closed }
    package var acceptsNotifications: Bool { phase == .open || phase == .ended }
    /// The number of bytes of output that were not sent yet.
    private var unsent: Int { outbox.unsent }

    // MARK: input

    /// Called by the channel when input can be read: reads if no complete line is waiting, and answers the complete lines.
    private func handleInput() {
        waitsForInputOnly = false
        // Timers that are due fire before the requests.
        context.loop.fireDueTimers()
        guard phase != .closed else { return }
        // Input has arrived while no request may be read, so the channel stops waiting for input. `afterFlush` does not
        // stop this wait in advance: to stop it and start it again needs system calls, and most clients send nothing until they
        // have their answer.
        if mustPauseInput { return waitForInput(false) }
        guard input.hasTimeThisTurn() else { return }
        if lines.hasLine { input.leave() } else if phase == .open { read() }
        guard phase != .closed else { return }
        // A passed file belongs to the request that arrives with the file. A file of a client that is no operator is closed at
        // once. A file that no request has taken is closed after all lines were answered. Dropping the result of `takeFile`
        // closes the file.
        if !rights.has(.operate) { _ = channel.takeFile() }
        answer()
        if !lines.hasLine { _ = channel.takeFile() }
        flush()
        input.chargeTime()
    }

    /// Whether no further request is read at present. True if too many rows wait for the disk, or if a result for this client
    /// is still being fetched.
    private var mustPauseInput: Bool { context.isFull || outbox.isFetching }

    /// Reads bytes from the channel into `lines`.
    private func read() {
        switch input.read(beginsRequest: lines.isEmpty, { lines.append($0) }) {
        case .bytes, .later: break
        case .end: phase = .ended
        case .broken: close()
        }
    }

    package var sentSince: Instant? { context.sessionsTime(input.since) }

    /// Answers the lines that have arrived: up to the limit for a turn, and only while the client reads its answers.
    private func answer() {
        var lineCount = 0
        // Whether the last request was so much work that it may have taken as long as sixteen others.
        var wasLong = false
        let (context, protocolHandler) = (context, context.protocolHandler)
        let sessions = context.sessions
        while phase == .open || phase == .ended, unsent <= context.limits.unsentBytes,
            !mustPauseInput
        {
            // The clock is read only after each 16 lines, and after a long answer or a change with many watchers, because reading
            // it costs time.
            guard lineCount < context.limits.linesPerTurn,
                lineCount & 15 != 15 && !wasLong || !isTurnOver
            else { return channel.callReadableLater() }
            guard let line = lines.next() else { return handleEndOfInput() }
            // Notifications of earlier changes are sent before the answer.
            subscriber.fill(upTo: context.limits.notificationBytes, for: rights)
            let (unsentBefore, notifiedBefore) = (unsent, sessions.notifiedCount)
            // A line between nodes begins with `NodeFrame.mark`, which is a byte that no client's request begins with.
            if case .line(let bytes) = line, bytes.first == NodeFrame.mark,
                let router = context.router
            {
                guard processFrame(bytes, router) else { return close() }
            } else if case .applicant(let refusal) = peerKind {
                return refuse(refusal)
            } else {
                protocolHandler.answer(line, from: self)
            }
            // Only a complete line restarts the idle time, not each byte. One restart per turn is enough.
            if lineCount == 0 { idleTimer.restart() }
            lineCount += 1
            wasLong =
                unsent - unsentBefore > Self.longAnswer
                || sessions.notifiedCount - notifiedBefore > Self.manyWatchers
        }
    }

    /// The number of bytes from which an answer is long.
    private static let longAnswer = 4096
    /// The number of notified watchers from which a request is long.
    private static let manyWatchers = 64

    /// Processes a line of another node. Returns false if the connection must be closed.
    private func processFrame(_ line: ArraySlice<UInt8>, _ router: ShardRouter) -> Bool {
        let incomingLink = incomingLink ?? IncomingNodeLink(self, router.nodeEnvironment)
        self.incomingLink = incomingLink
        return incomingLink.process(line)
    }

    /// Begins the protocol between nodes. Call it if the other end has proved by its certificate that it is a node.
    func beginNodeProtocol(_ router: ShardRouter) {
        let incomingLink = IncomingNodeLink(self, router.nodeEnvironment)
        self.incomingLink = incomingLink
        incomingLink.begin()
    }

    /// Applies the limits for nodes. `IncomingNodeLink` calls it when the other end has proved that it is a node.
    func becomeNode() {
        lines.limit = NodeFrame.limit
        closeWithoutLines(for: Self.nodeSilence)
        let previousKind = exchange(&peerKind, with: .node)
        server.stopCounting(previousKind, identity)
    }

    /// Sends the error of the limit, and ends the connection.
    private func refuse(_ error: RequestError) {
        outbox.write(line: context.protocolHandler.refusal(error))
        end()
    }

    /// Closes the connection when no line has arrived for this time. Each line restarts the time.
    private func closeWithoutLines(for time: Duration) {
        idleTimer.set(on: context.loop, time) { [unowned self] in close() }
    }

    /// Whether this turn of the loop has taken too long, or a timer is due. The next lines of this client must then wait until
    /// other clients have been served.
    private var isTurnOver: Bool {
        context.loop.lag > context.limits.turnTime || context.loop.isTimerWaiting
    }

    /// If the client has ended its input: answers an unfinished last line with an error, and ends the connection. Call it when
    /// all complete lines that have arrived are answered.
    private func handleEndOfInput() {
        guard phase == .ended else { return }
        context.protocolHandler.answerUnfinished(lines.remainder, from: self)
        end()
    }

    /// Stops reading; the connection closes after the remaining output was sent.
    package func end() {
        guard phase == .open || phase == .ended else { return }
        phase = .closing
        unwatchAll()
    }

    // MARK: output

    /// Writes output, up to the limit for a turn and as much as the client accepts.
    package func flush() {
        guard phase != .closed else { return }
        guard let written = writeOutput(to: channel) else { return close() }
        if written > 0 { lastWrite = context.loop.timerQueue.now }
        writtenBytes &+= written
        if subscriber.hasOutput { checkBacklog() }
        afterFlush()
    }

    /// Sets whether the channel calls `readable`, and records since when.
    private func waitForInput(_ isWaiting: Bool) {
        input.wait(isWaiting)
        if !isWaiting { waitsForInputOnly = false }
    }

    /// Sets whether the channel calls `writable` and `readable`. Closes the connection if it is being ended and all output was
    /// sent.
    private func afterFlush() {
        if waitsForInputOnly, phase == .open, !subscriber.hasOutput, !context.isFull { return }
        waitsForInputOnly = false
        guard phase != .closed else { return }
        channel.waitForSpace(outbox.sendable > 0)
        if phase == .closing, unsent == 0 {
            input.dropArrived()
            return close()
        }
        if waitsForDisk { context.releaseLater(self) }
        if input.isPostponed { return }
        if mustPauseInput { return }
        let mayRead = phase == .open && unsent <= limits.unsentBytes
        waitForInput(mayRead)
        // `handleInput` must be called even if no input arrives, in two cases: lines wait because the client had not read its
        // answers, or the end of input must still be handled.
        if phase == .ended || (mayRead && lines.hasLine), unsent <= limits.unsentBytes {
            channel.callReadableLater()
        } else {
            waitsForInputOnly = mayRead && outbox.sendable == 0
        }
    }

    /// Whether the connection must be called when more rows are durable: input is paused, or output waits.
    private var waitsForDisk: Bool {
        context.isFull || outbox.isWaiting || !subscriber.isEmpty
    }

    /// Closes the connection immediately, even if other objects still retain this object.
    package func close() {
        guard phase != .closed else { return }
        phase = .closed
        unwatchAll()
        context.router?.callerHasGone(self)
        incomingLink?.end()
        heartbeatTimer.stop()
        graceTimer.stop()
        idleTimer.stop()
        incomingLink = nil
        channel.close()
        server.remove(self)
    }

    // MARK: rights

    /// Adds the rights of a token to the connection. Returns false if the token is not valid.
    package func authenticate(_ token: String) -> Bool {
        guard let name = context.authorizer.name(of: token) else { return false }
        identity.addToken(named: name)
        bucket = context.accountLimits.bucket(of: identity)
        updateRights()
        return true
    }

    /// Determines the rights again. Ends the connection if it watches a session that it may no
    /// longer observe.
    package func updateRights() {
        rights = context.authorizer.rights(of: identity)
        guard !subscriber.watched.allSatisfy(rights.mayWatch) else { return }
        end()
        context.flushLater(self)
    }

    /// Counts a request of the client's account. Returns an error if the account has made too many.
    package func countRequest() -> RequestError? {
        minute.requests &+= 1
        return context.accountLimits.countRequest(bucket)
    }

    package func countRefusal(byLimit limit: String) {
        context.accountLimits.count(limit, bucket.account)
    }

    /// When no line has arrived for the limit `idle`, closes the connection, unless the client watches a session or waits for a
    /// result.
    private func startIdleTimer() {
        idleTimer.set(on: context.loop, limits.idleTime) { [unowned self] in
            guard subscriber.watched.isEmpty, !outbox.isWaiting else { return idleTimer.restart() }
            context.accountLimits.report(
                "idleMs", identity.account,
                "\(identity.logDescription): closed, because it has sent no request")
            close()
        }
    }
}

/// Notifications for a client that watches, and the end of the connection if the client does not read its notifications.
extension Connection {
    package func notify(_ notification: Notification) {
        guard phase == .open || phase == .ended else { return }
        subscriber.add(notification, for: rights)
        context.flushLater(self)
    }

    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
        if !heartbeatTimer.isSet { startHeartbeat() }
    }

    /// Called when a session that is watched by its name was closed.
    package func ended(_ session: SessionName) { endWatch(.session(session)) }

    package func endWatch(_ target: WatchTarget) {
        subscriber.endWatch(target)
        if subscriber.watched.isEmpty { heartbeatTimer.stop() }
    }

    func unwatchAll() {
        subscriber.unwatchAll(self)
        heartbeatTimer.stop()
    }

    /// Sends a heartbeat by the real clock when nothing else was written for the limit `heartbeat`, so that the client can tell an
    /// idle daemon from a lost connection. The timer is not set again for each write: that would take longer than the write. If
    /// something was written meanwhile, the timer is set for the rest of the time when it fires.
    private func startHeartbeat(after wait: Duration? = nil) {
        heartbeatTimer.set(on: context.loop, wait ?? limits.heartbeat) {
            [unowned self] in
            let left = limits.heartbeat - (context.loop.timerQueue.now - lastWrite)
            if left <= .zero { sendHeartbeat() }
            startHeartbeat(after: left <= .zero ? limits.heartbeat : left)
        }
    }

    private func sendHeartbeat() {
        guard phase == .open || phase == .ended else { return }
        let sessions = context.sessions
        subscriber.add(
            EncodedNotification("heartbeat", row: sessions.newestRow) {
                $0.beginObject()
                $0.name("pos")
                $0.int(sessions.pos)
                $0.time(sessions.now, date: sessions.clockCorrections.date(of: sessions.now))
                $0.endObject()
            })
        context.flushLater(self)
    }
}

/// The results that are fetched for the client, and the files that it has passed.
extension Connection {
    /// Delivers a deferred result, which a thread or another node has fetched. `ticket` is the number that the outbox gave to
    /// the result.
    package func deliver(_ ticket: Int, _ answer: DeferredResult.Outcome) {
        guard phase != .closed else { return }
        outbox.deliver(ticket, answer)
        context.flushLater(self)
    }

    package func takeFile() -> PassedFile? { channel.takeFile() }
}
