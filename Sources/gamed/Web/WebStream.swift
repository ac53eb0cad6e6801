import Access
import CEventHTTP
import Durability
import GameFlow
import HTTP
import JSON
import RPC
import Sessions
import Timers

/// A stream of Server-Sent Events to one browser: what it watches, as it happens.
final class WebStream: Client {
    let visitor: Identity
    private(set) var rights: Rights
    let exchange: ServerContext
    private var request: WebRequest?
    private let asked: StreamRequest
    private let form: EventStreamForm
    let mailbox: Subscriber
    private var heartbeat: ScopedPendulum?
    private var grace: ScopedCountdown?
    private var isEnding = false
    private let done: (WebStream) -> Void
    var isToFlush = false
    var isToRelease = false
    var isGone: Bool { request == nil }

    init(
        _ request: WebRequest, _ asked: StreamRequest, from visitor: Identity,
        _ exchange: ServerContext,
        _ form: EventStreamForm, done: @escaping (WebStream) -> Void
    ) {
        (self.request, self.visitor, self.exchange) = (request, visitor, exchange)
        (self.asked, self.form, self.done) = (asked, form, done)
        rights = exchange.gatekeeper.rights(of: visitor)
        mailbox = Subscriber(exchange.sessions, exchange.conversation.encoder) { form.event($0) }
    }

    deinit { if let request { evhttp_send_reply_end(request.request) } }

    // MARK: beginning

    /// Begins to watch, and to tell: the present, then what was missed since position `since`, then what happens.
    func begin(since: Int?) throws(RequestError) {
        let (sessions, target, topics) = (exchange.sessions, asked.target, asked.topics)
        let watched =
            if let since {
                try sessions.watch(target, after: since, topics, by: self)
            } else { try sessions.watch(target, topics, by: self) }
        guard let request, let connection = request.connection, let buffers = request.buffers
        else { return }
        request.begin("text/event-stream; charset=utf-8")
        bufferevent_set_timeouts(buffers, nil, nil)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_connection_set_closecb(
            connection,
            { _, me in
                let stream = Unmanaged<WebStream>.fromOpaque(me!).takeUnretainedValue()
                withExtendedLifetime(stream) { stream.close() }
            }, me)
        mailbox.begin(
            form.snapshot(watched, isResumed: since != nil, self),
            introducing: EventStreamForm.retry)
        mailbox.follow(target, watched.missed, for: rights)
        // Of the events' own silence nobody hears; a comment says that the line stands.
        heartbeat = ScopedPendulum(on: exchange.loop, exchange.limits.heartbeat) {
            [unowned self] _ in
            send(EventStreamForm.comment)
        }
        flush()
    }

    // MARK: telling

    func notify(_ notice: Notification) {
        guard !isGone, !isEnding else { return }
        mailbox.put(notice, for: rights)
        exchange.flushLater(self)
    }

    /// Tells something that is not about sessions.
    func tell(_ notice: EncodedNotification) {
        guard !isGone, !isEnding else { return }
        mailbox.put(notice)
        exchange.flushLater(self)
    }

    /// How much libevent holds that the browser has not taken.
    private var unread: Int {
        guard let buffers = request?.buffers else { return 0 }
        return evbuffer_get_length(bufferevent_get_output(buffers))
    }

    func flush() {
        guard let request, request.connection != nil else { return close() }
        var isTaking = false
        while unread < exchange.limits.outputHigh {
            mailbox.fill(upTo: exchange.limits.noticeBytes, for: rights)
            guard outbox.sendable > 0 else { break }
            _ = outbox.send {
                send($0)
                isTaking = true
                return $0.count
            }
            outbox.recycle()
        }
        if mailbox.isDeaf(exchange.limits, takes: isTaking) { overrun() }
        if outbox.isWaiting { exchange.releaseLater(self) }
        if isEnding, mailbox.isEmpty, outbox.unsent == 0 { end() }
    }

    private func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }

    /// Wraps `evhttp_send_reply_chunk_with_cb`.
    private func send(_ bytes: UnsafeRawBufferPointer) {
        guard let request, let buffer = evbuffer_new() else { return }
        defer { evbuffer_free(buffer) }
        evbuffer_add(buffer, bytes.baseAddress, bytes.count)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_send_reply_chunk_with_cb(
            request.request, buffer,
            { _, me in
                let stream = Unmanaged<WebStream>.fromOpaque(me!).takeUnretainedValue()
                stream.exchange.flushLater(stream)
            }, me)
    }

    /// The backlog goes, the browser is told how much that was, and nobody waits for it for ever.
    private func overrun() {
        guard !isEnding else { return }
        isEnding = true
        mailbox.unwatchAll(self)
        dropBacklog()
        grace = ScopedCountdown(on: exchange.loop, exchange.limits.overrunGrace) { [unowned self] in
            cut()
        }
        exchange.flushLater(self)
    }

    func release(_ outcome: GroupCommit.Outcome) {
        switch outcome {
        case .kept, .back: mailbox.release()
        // What it was shown first may not be so: it begins anew.
        case .failed: return cut()
        }
        flush()
    }

    // MARK: the end

    /// Everything was said. Wraps `evhttp_send_reply_end`.
    private func end() {
        guard let request = leave() else { return }
        if let connection = request.connection {
            evhttp_connection_set_closecb(connection, nil, nil)
        }
        evhttp_send_reply_end(request.request)
        done(self)
    }

    /// The browser is gone, or has no business here any more.
    func close() {
        if request?.connection == nil { return end() }
        cut()
    }

    /// Ends the connection at once: nothing that is still on its way arrives.
    private func cut() {
        if let descriptor = request?.descriptor, descriptor >= 0 { WebConnections.cut(descriptor) }
        // libevent sees the end, and calls back.
        isEnding = true
        mailbox.unwatchAll(self)
        mailbox.dropNotices()
    }

    /// It never began: its request gets another answer.
    func abandon() { _ = leave() }

    private func leave() -> WebRequest? {
        guard let request else { return nil }
        self.request = nil
        mailbox.unwatchAll(self)
        (heartbeat, grace) = (nil, nil)
        return request
    }

    // MARK: Peer

    func ended(_ session: SessionName) { unfollow(.session(session)) }
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        mailbox.follow(target, missed, for: rights)
    }
    func unfollow(_ target: WatchTarget) { mailbox.unfollow(target) }

    func review() {
        let before = rights
        rights = exchange.gatekeeper.rights(of: visitor)
        // What it may do was said at its beginning: whoever comes back is told anew, or turned away.
        if rights.grants != before.grants { cut() }
    }
}
