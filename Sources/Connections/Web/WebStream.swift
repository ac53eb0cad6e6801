package import Access
import Cluster
import Durability
import GameFlow
import HTTP
import JSONCoding
import Net
import Parts
package import RPC
package import Sessions
package import Timers

/// A stream of Server-Sent Events to one browser, with the changes of the sessions that the browser watches. The stream is the
/// answer to one request to `/v1/events`, and it ends with the connection.
package final class WebStream: Responder, StreamingClient {
    package let identity: Identity
    @exclusivity(unchecked) package private(set) var rights: Rights
    package let context: ServerContext
    /// The connection; not used after `connectionClosed`.
    private unowned let connection: HTTPConnection
    private let channel: any Channel
    /// Whether the channel calls when output is possible.
    @exclusivity(unchecked) private var waitsForSpace = false
    /// The parameters of the request: which sessions and which kinds of notifications.
    private let streamRequest: StreamRequest
    /// Encodes notifications as Server-Sent Events.
    private let form: EventStreamForm
    package let subscriber: Subscriber
    /// Sends a comment periodically, which keeps the connection alive.
    private var heartbeatTimer = Ticker()
    package var graceTimer = Alarm()
    @exclusivity(unchecked) package private(set) var writtenBytes = 0
    @exclusivity(unchecked) private var phase = Phase.opening
    /// Called once when the stream is over.
    private let done: (WebStream) -> Void
    @exclusivity(unchecked) package var isFlushScheduled = false
    @exclusivity(unchecked) package var isReleaseScheduled = false
    package var isGone: Bool { phase == .gone }
    package var acceptsNotifications: Bool { phase == .open }

    private enum Phase {
        /// The snapshot with which the stream begins is being fetched.
        case opening
        case open
        /// The stream ends as soon as the remaining output is sent.
        case ending
        case gone
    }

    /// `start` is where `begin` will begin.
    package init(
        _ connection: HTTPConnection, _ streamRequest: StreamRequest, _ start: StreamStart,
        from identity: Identity, _ form: EventStreamForm, done: @escaping (WebStream) -> Void
    ) {
        let context = connection.context
        (self.connection, channel) = (connection, connection.channel)
        (self.identity, self.context) = (identity, context)
        (self.streamRequest, self.form, self.done) = (streamRequest, form, done)
        rights = streamRequest.rights(context.authorizer.rights(of: identity))
        let encoder = context.protocolHandler.encoder
        guard streamRequest.target == .all, let router = context.router else {
            subscriber = Subscriber(context.sessions, encoder) { form.bytes(of: $0) }
            return
        }
        // The shards count their changes separately, so the ids of events have a position for each.
        let progress = StreamProgress(router.shardCount, start)
        subscriber = Subscriber(context.sessions, encoder) {
            let id = progress.cursor(after: $0).map { EventID.text(form.instance, $0) }
            return form.bytes(of: form.event($0, id: id))
        }
    }

    /// What the browser watches.
    var watch: Value {
        ClientDescription.watch(streamRequest.target, streamRequest.topics.names)
    }

    // MARK: begin

    /// Begins the stream. It sends the present state, then the changes since `start`, then new changes.
    package func begin(_ start: StreamStart) throws(RequestError) {
        if let router = context.router { return beginRouted(start, router) }
        var since: Int?
        if case .after(let pos) = start { since = pos }
        let sessions = context.sessions
        let (target, topics) = (streamRequest.target, streamRequest.topics)
        let watched =
            if let since {
                try sessions.watch(target, afterPos: since, topics, by: self)
            } else { try sessions.watch(target, topics, by: self) }
        connection.setResponder(self)
        open(form.snapshot(watched, isResumed: since != nil, self))
        subscriber.beginWatch(target, watched.missed, for: rights)
        flush()
    }

    /// Begins a stream of sessions that may be on other nodes.
    private func beginRouted(_ start: StreamStart, _ router: ShardRouter) {
        let since: Value? =
            switch start {
            case .present: nil
            case .after(let pos): .string(Cursor(pos).text)
            case .afterAll(let cursor): .string(cursor.text)
            }
        let watch = RoutedRequest.watch(
            streamRequest.target, topics: streamRequest.topics.names, since: since)
        connection.setResponder(self)
        let routedClient = router.routedClient(of: self)
        let handleReply = { [weak self] (reply: RoutedReply) in
            guard let self, !isGone else { return }
            switch reply {
            case .result(let page):
                open(form.snapshot(page, self))
                flush()
            case .error(let error): refuse(error)
            }
        }
        switch streamRequest.target {
        case .all: routedClient.askAll(watch, handleReply)
        case .session(let name): routedClient.ask(watch, about: name, handleReply)
        }
    }

    /// Answers the request with an error in place of a stream.
    private func refuse(_ error: RelayedError) {
        connectionClosed()
        let status: WebStatus = error.name == "unknownSession" ? .notFound : .unavailable
        connection.reply(
            status, "application/json", JSONWriter.bytes { $0.reply(relaying: error) })
    }

    /// Begins the output with the header of the answer and the snapshot.
    private func open(_ snapshot: EncodedNotification) {
        phase = .open
        // A proxy such as nginx would otherwise hold events back until its buffer is full.
        connection.response.set("X-Accel-Buffering", "no")
        form.hasChunks = !connection.response.isVersion10
        outbox.write(line: connection.begin(self, "text/event-stream; charset=utf-8"))
        outbox.write(line: form.bytes(of: EventStreamForm.reconnectDelay))
        subscriber.begin(snapshot)
        // The heartbeat is a comment, which the scripts of the page do not see.
        heartbeatTimer.start(on: context.loop, context.limits.heartbeat) {
            [unowned self] _ in
            // A browser that has something to read needs no heartbeat.
            guard outbox.unsent == 0 else { return }
            outbox.write(line: form.bytes(of: EventStreamForm.heartbeat))
            context.flushLater(self)
        }
    }

    // MARK: notifications

    package func notify(_ notification: Notification) {
        guard phase == .opening || phase == .open else { return }
        subscriber.add(notification, for: rights)
        context.flushLater(self)
    }

    /// Sends a notification that is encoded already.
    package func receive(_ notification: EncodedNotification) {
        guard phase == .opening || phase == .open else { return }
        subscriber.add(notification)
        context.flushLater(self)
    }

    /// Writes output, up to the limit for a turn and as much as the browser accepts. Ends the stream if the backlog is too long.
    package func flush() {
        guard phase == .open || phase == .ending else { return }
        guard let written = writeOutput(to: channel) else { return connection.close() }
        writtenBytes &+= written
        // The fast path of a browser that has accepted everything, now and before.
        let hasOutput = subscriber.hasOutput
        guard hasOutput || waitsForSpace || phase == .ending else { return }
        if hasOutput { checkBacklog() }
        waitsForSpace = outbox.sendable > 0
        channel.waitForSpace(waitsForSpace)
        if hasOutput {
            if outbox.isWaiting || !subscriber.isEmpty { context.releaseLater(self) }
        } else if phase == .ending {
            endAnswer()
        }
    }

    /// The state that was sent at the beginning may have been rolled back, so the browser must reconnect.
    package func storeFailed(_ error: RequestError) { close() }

    // MARK: end

    /// Sends what waits, and ends the stream then.
    package func end() {
        phase = .ending
        subscriber.unwatchAll(self)
    }

    /// Ends the answer after everything was sent.
    private func endAnswer() {
        if form.hasChunks { _ = EventStreamForm.lastChunk.withUnsafeBytes { channel.write($0) } }
        connection.close()
    }

    /// Closes the connection at once: the browser has lost its rights, or does not read. Output that is not sent yet is lost.
    package func close() {
        if !isGone { connection.close() }
    }

    /// Ends all watches and timers of the stream.
    package func connectionClosed() {
        guard !isGone else { return }
        phase = .gone
        subscriber.unwatchAll(self)
        context.router?.callerHasGone(self)
        heartbeatTimer.stop()
        graceTimer.stop()
        done(self)
    }

    // MARK: Caller

    package func ended(_ session: SessionName) { endWatch(.session(session)) }
    package func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
    }
    package func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }

    package func updateRights() {
        let oldRights = rights
        rights = streamRequest.rights(context.authorizer.rights(of: identity))
        // The rights were sent at the beginning of the stream. If they change, the browser has to reconnect. When it
        // reconnects, it gets the new rights or is rejected.
        if rights.grants != oldRights.grants { close() }
    }
}
