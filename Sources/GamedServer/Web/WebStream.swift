import CEventHTTP
import Durability
import GameFlow
import Glibc
import JSONCoding
import RPC
import Sessions
import Timers

/// A stream of Server-Sent Events to one browser, with the changes of the sessions that the browser watches. The stream is the
/// answer to one request to `/v1/events`, and it ends with the connection.
final class WebStream: Client {
    let identity: Identity
    @exclusivity(unchecked) private(set) var rights: Rights
    let context: ServerContext
    /// The request whose answer is the stream; nil when the stream is over.
    @exclusivity(unchecked) private var request: WebRequest?
    /// The parameters of the request: which sessions and which kinds of notifications.
    private let streamRequest: StreamRequest
    /// Encodes notifications as Server-Sent Events.
    private let form: EventStreamForm
    let subscriber: Subscriber
    /// The position of the stream in each shard. Nil if there are no shards, because the daemon shares no database with other
    /// nodes. Nil also for a stream of one session.
    private let progress: StreamProgress?
    /// Sends a comment periodically, which keeps the connection alive.
    private var heartbeatTimer: ScopedPendulum?
    /// Runs after an overrun: the backlog of notifications was too long, and was dropped. Closes the stream if the browser does
    /// not read the remaining output in time.
    private var graceTimer: ScopedCountdown?
    /// The socket, if its bytes are the bytes of the stream; nil with TLS.
    @exclusivity(unchecked) private var plainSocket: Int32?
    /// Whether the stream ends as soon as the remaining output is sent.
    @exclusivity(unchecked) private var isEnding = false
    /// Called once when the stream is over; not after `abandon`.
    private let done: (WebStream) -> Void
    @exclusivity(unchecked) var isFlushScheduled = false
    @exclusivity(unchecked) var isReleaseScheduled = false
    var routedClient: RoutedClient?
    var isGone: Bool { request == nil }

    init(
        _ request: WebRequest, _ streamRequest: StreamRequest, from identity: Identity,
        _ context: ServerContext,
        _ form: EventStreamForm, done: @escaping (WebStream) -> Void
    ) {
        (self.request, self.identity, self.context) = (request, identity, context)
        (self.streamRequest, self.form, self.done) = (streamRequest, form, done)
        rights = context.authorizer.rights(of: identity)
        let progress =
            streamRequest.target == .all
            ? context.router.map { StreamProgress($0.shardCount) } : nil
        self.progress = progress
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder) {
            guard let progress else { return form.bytes(of: $0) }
            let id = progress.cursor(after: $0).map { EventID.text(form.instance, $0) }
            return form.bytes(of: form.event($0, id: id))
        }
    }

    /// Ends a stream that is open when its server is released.
    deinit { if let request { evhttp_send_reply_end(request.request) } }

    // MARK: begin

    /// Begins the stream. It sends the present state, then the changes since `start`, then new changes.
    func begin(_ start: StreamStart) throws(RequestError) {
        if let router = context.router { return beginRouted(start, router) }
        var since: Int?
        if case .after(let pos) = start { since = pos }
        let sessions = context.sessions
        let (target, topics) = (streamRequest.target, streamRequest.topics)
        let watched =
            if let since {
                try sessions.watch(target, afterPos: since, topics, by: self)
            } else { try sessions.watch(target, topics, by: self) }
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
        let routedClient = router.routedClient(of: self)
        let handleReply = { [weak self] (reply: RoutedReply) in
            guard let self, request != nil else { return }
            switch reply {
            case .result(let page):
                if case .afterAll(let cursor) = start { progress?.begin(after: cursor) }
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
        guard let request = detachRequest() else { return }
        let status: WebStatus = error.name == "unknownSession" ? .notFound : .unavailable
        request.reply(status, "application/json", JSONWriter.bytes { $0.reply(relaying: error) })
        done(self)
    }

    func receive(_ notification: EncodedNotification) { enqueue(notification) }

    /// Sends the header of the reply and the snapshot.
    private func open(_ snapshot: EncodedNotification) {
        guard let request, let connection = request.connection, let buffers = request.bufferevent
        else { return }
        // A proxy such as nginx would otherwise hold events back until its buffer is full.
        request.set("X-Accel-Buffering", "no")
        request.begin("text/event-stream; charset=utf-8")
        form.hasChunks = request.hasChunks
        let isPlain = bufferevent_openssl_get_ssl(buffers) == nil
        plainSocket = isPlain ? request.descriptor : nil
        sendFirst(EventStreamForm.reconnectDelay)
        // A stream may be idle for any length of time.
        bufferevent_set_timeouts(buffers, nil, nil)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_connection_set_closecb(
            connection,
            { _, me in
                let stream = Unmanaged<WebStream>.fromOpaque(me!).takeUnretainedValue()
                // `close` can remove the last reference to the stream.
                withExtendedLifetime(stream) { stream.close() }
            }, me)
        subscriber.begin(snapshot)
        // The heartbeat is a comment, which the scripts of the page do not see.
        heartbeatTimer = ScopedPendulum(on: context.loop, context.limits.heartbeat) {
            [unowned self] _ in
            guard let output else { return }
            pass(form.bytes(of: EventStreamForm.heartbeat), to: output)
        }
    }

    // MARK: notifications

    func notify(_ notification: Notification) {
        guard !isGone, !isEnding else { return }
        subscriber.add(notification, for: rights)
        context.flushLater(self)
    }

    /// Sends a notification that is encoded already.
    func enqueue(_ notification: EncodedNotification) {
        guard !isGone, !isEnding else { return }
        subscriber.add(notification)
        context.flushLater(self)
    }

    /// The bytes that libevent holds and the browser has not accepted, an `evbuffer`; nil if the browser is gone.
    private var output: OpaquePointer? {
        request?.bufferevent.flatMap { bufferevent_get_output($0) }
    }

    /// Sends output until libevent holds `unsentBytes` that the browser has not accepted. Ends the stream if the backlog is too
    /// long.
    func flush() {
        guard let output else { return close() }
        // The fast path of a browser that has accepted everything before. The bytes go to the socket at once, because libevent
        // would wait until the socket has room, which takes several system calls.
        if evbuffer_get_length(output) == 0 {
            let count = subscriber.sendOnlyNotification { bytes in
                let sent = write(bytes)
                pass(UnsafeRawBufferPointer(rebasing: bytes[sent...]), to: output)
                return bytes.count
            }
            if count > 0, !isEnding { return }
        }
        var hasSent = false
        while evbuffer_get_length(output) < context.limits.unsentBytes {
            subscriber.fill(upTo: context.limits.notificationBytes, for: rights)
            guard outbox.sendable > 0 else { break }
            _ = outbox.send {
                pass($0, to: output)
                hasSent = true
                return $0.count
            }
            outbox.recycle()
        }
        if subscriber.hasOverrun(context.limits, isReading: hasSent) { endAfterOverrun() }
        if outbox.isWaiting { context.releaseLater(self) }
        if isEnding, subscriber.isEmpty, outbox.unsent == 0 { end() }
    }

    /// Writes bytes to the socket. Returns how many it has accepted; 0 with TLS, whose bytes only libevent can write. Also returns
    /// 0 after an error, because libevent meets the same error when it writes the bytes. Wraps write(2).
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let plainSocket else { return 0 }
        return max(0, Glibc.write(plainSocket, bytes.baseAddress, bytes.count))
    }

    /// Passes bytes to libevent, which calls back when they were written; see `sendFirst`.
    private func pass(_ bytes: [UInt8], to output: OpaquePointer) {
        bytes.withUnsafeBytes { pass($0, to: output) }
    }

    /// Wraps `evbuffer_add`.
    private func pass(_ bytes: UnsafeRawBufferPointer, to output: OpaquePointer) {
        if !bytes.isEmpty { evbuffer_add(output, bytes.baseAddress, bytes.count) }
    }

    /// Passes the first bytes of the stream to libevent as a chunk. From then on, libevent flushes the stream whenever it has
    /// written all bytes that it holds. Later bytes are added to libevent's output without its functions for chunks, which would
    /// write the length of each chunk again for each browser. Wraps `evhttp_send_reply_chunk_with_cb`.
    private func sendFirst(_ bytes: [UInt8]) {
        guard let request, let buffer = evbuffer_new() else { return }
        defer { evbuffer_free(buffer) }
        evbuffer_add(buffer, bytes, bytes.count)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_send_reply_chunk_with_cb(
            request.request, buffer,
            { _, me in
                let stream = Unmanaged<WebStream>.fromOpaque(me!).takeUnretainedValue()
                stream.context.flushLater(stream)
            }, me)
    }

    /// Drops the backlog, and sends the notification `overrun`, which says how much was dropped. Ends the stream then, or
    /// closes it if the browser does not read this notification within the limit `overrunGrace`.
    private func endAfterOverrun() {
        guard !isEnding else { return }
        isEnding = true
        subscriber.unwatchAll(self)
        dropBacklog()
        graceTimer = ScopedCountdown(on: context.loop, context.limits.overrunGrace) {
            [unowned self] in
            cut()
        }
        context.flushLater(self)
    }

    /// The state that was sent at the beginning may have been rolled back, so the browser must reconnect.
    func storeFailed(_ error: RequestError) { cut() }

    // MARK: end

    /// Ends the reply after everything was sent. Wraps `evhttp_send_reply_end`.
    private func end() {
        guard let request = detachRequest() else { return }
        if let connection = request.connection {
            evhttp_connection_set_closecb(connection, nil, nil)
        }
        evhttp_send_reply_end(request.request)
        done(self)
    }

    /// Closes the stream: the browser is gone or has lost its rights, or the daemon stops.
    func close() {
        // If the connection is closed already, only the request remains to be freed.
        if request?.connection == nil { return end() }
        cut()
    }

    /// Closes the connection at once; output that is not sent yet is lost.
    private func cut() {
        if let descriptor = request?.descriptor, descriptor >= 0 { WebConnections.cut(descriptor) }
        // libevent notices that the connection is closed, and calls `close`.
        isEnding = true
        subscriber.unwatchAll(self)
        subscriber.dropNotifications()
    }

    /// Releases the request of a stream that could not begin. The caller must answer the request.
    func abandon() { _ = detachRequest() }

    /// Ends all watches and timers of the stream. Returns the request, which the caller must answer; nil if the stream is over.
    private func detachRequest() -> WebRequest? {
        guard let request else { return nil }
        self.request = nil
        subscriber.unwatchAll(self)
        routedClient?.end()
        (heartbeatTimer, graceTimer, routedClient) = (nil, nil, nil)
        return request
    }

    // MARK: Caller

    func ended(_ session: SessionName) { endWatch(.session(session)) }
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.beginWatch(target, missed, for: rights)
    }
    func endWatch(_ target: WatchTarget) { subscriber.endWatch(target) }

    func updateRights() {
        let oldRights = rights
        rights = context.authorizer.rights(of: identity)
        // The rights were sent at the beginning of the stream. If they change, the browser has to reconnect. When it
        // reconnects, it gets the new rights or is rejected.
        if rights.grants != oldRights.grants { cut() }
    }
}
