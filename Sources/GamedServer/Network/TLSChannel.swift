import CEventHTTP
import COpenSSL
import EventLoop
import Glibc
import Timers

/// A channel with TLS, on libevent's bufferevent and OpenSSL.
final class TLSChannel: Channel {
    private let loop: LibeventLoop
    private let closingChannels: ClosingChannels
    private var buffers: OpaquePointer?
    private let tls: OpaquePointer
    /// The context of clients, with which each handshake begins. It exists as long as `tls`.
    private let clientContext: OpaquePointer?
    private var state = State.handshaking
    private var isWaitingForSpace = false
    /// Retains the channel while the last bytes are being sent.
    private var closing: (me: TLSChannel, timeout: ScopedCountdown)?
    var readable: () -> Void = {}
    var writable: () -> Void = {}
    /// Called once at the end of the handshake, with whether it is complete.
    var handshakeEnded: ((Bool) -> Void)?

    private enum State { case handshaking, open, ended, broken }

    /// The maximum number of bytes that libevent receives in advance, before `read` is called.
    private static let readAheadBytes = 65_536
    /// The maximum number of bytes that `write` has accepted and that are not sent yet.
    private static let writeBufferBytes = 256 << 10
    /// The time limit for sending the last bytes of a closed channel.
    private static let closingTimeLimit = Duration.seconds(5)

    /// Takes ownership of a non-blocking socket. Wraps `bufferevent_openssl_socket_new`.
    ///
    /// `reportRecordFlood` is called once, with the limit of records, if the client is disconnected because its TLS records
    /// carry no data.
    init?(
        _ descriptor: Int32, _ security: TLSContext, of shared: ServerContext,
        reportRecordFlood: @escaping (Int) -> Void
    ) {
        (loop, closingChannels) = (shared.loop, shared.closingChannels)
        guard let tls = security.session() else { return nil }
        (self.tls, clientContext) = (tls, SSL_get_SSL_CTX(tls))
        let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue)
        guard
            let buffers = bufferevent_openssl_socket_new(
                loop.base, descriptor, tls, BUFFEREVENT_SSL_ACCEPTING, options)
        else {
            SSL_free(tls)
            return nil
        }
        self.buffers = buffers
        TLSRecordGuard.attach(
            to: buffers, shared.tlsBudget, shared.limits, exceeded: reportRecordFlood)
        NetworkSocket.sendAtOnce(descriptor)
        bufferevent_setwatermark(buffers, Int16(EV_READ), 0, Self.readAheadBytes)
        bufferevent_setwatermark(buffers, Int16(EV_WRITE), Self.writeBufferBytes / 4, 0)
        let me = Unmanaged.passUnretained(self).toOpaque()
        bufferevent_setcb(
            buffers, { _, me in TLSChannel.call(me) { $0.didRead() } },
            { _, me in TLSChannel.call(me) { $0.didWrite() } },
            { _, events, me in TLSChannel.call(me) { $0.handleEvents(Int32(events)) } }, me)
        bufferevent_enable(buffers, Int16(EV_READ | EV_WRITE))
    }

    deinit { free() }

    /// Calls `body` with the channel, and retains the channel during the call, because `body` may cause its release.
    private static func call(_ me: UnsafeMutableRawPointer?, _ body: (TLSChannel) -> Void) {
        body(Unmanaged<TLSChannel>.fromOpaque(me!).takeUnretainedValue())
    }

    /// The common name of the client's certificate; nil if the client presented no valid certificate, and for a node.
    var certificateName: String? { isOfNode ? nil : CertificateNames.verified(tls) }

    /// Whether the other end requested the protocol of nodes. The handshake then uses another context than that of clients.
    var isOfNode: Bool { SSL_get_SSL_CTX(tls) != clientContext }

    /// Why the other end is not accepted as a node; nil if it has proved to be one.
    var nodeRefusal: String? {
        isOfNode ? NodeCertificates.refusal(tls) : "it did not ask to be treated as a node"
    }

    // MARK: libevent callbacks

    private func didRead() {
        if state == .open || state == .ended { readable() }
    }

    private func didWrite() {
        if closing != nil { return finish() }
        if isWaitingForSpace { writable() }
    }

    private func handleEvents(_ events: Int32) {
        if events & BEV_EVENT_CONNECTED != 0 {
            state = .open
            return endHandshake(true)
        }
        let wasHandshaking = state == .handshaking
        if events & BEV_EVENT_EOF != 0, state == .open {
            state = .ended
            // libevent has stopped reading and writing. Writing continues, so that requests that have arrived are answered.
            if let buffers { bufferevent_enable(buffers, Int16(EV_WRITE)) }
        } else {
            state = .broken
        }
        if closing != nil { return finish() }
        if wasHandshaking { return endHandshake(false) }
        readable()
    }

    private func endHandshake(_ isComplete: Bool) {
        exchange(&handshakeEnded, with: nil)?(isComplete)
    }

    // MARK: Channel

    /// Wraps `evbuffer_remove`.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let buffers else { return .broken }
        let count = evbuffer_remove(
            bufferevent_get_input(buffers), buffer.baseAddress, buffer.count)
        if count > 0 { return .bytes(Int(count)) }
        switch state {
        case .handshaking, .open: return .later
        case .ended: return .end
        case .broken: return .broken
        }
    }

    /// Wraps `bufferevent_write`.
    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard let buffers, state == .open || state == .ended else { return .broken }
        let space = Self.writeBufferBytes - evbuffer_get_length(bufferevent_get_output(buffers))
        guard space > 0 else { return .later }
        let count = min(space, bytes.count)
        return bufferevent_write(buffers, bytes.baseAddress, count) == 0 ? .bytes(count) : .broken
    }

    func listen(_ isListening: Bool) {
        guard let buffers, state == .open else { return }
        if isListening {
            bufferevent_enable(buffers, Int16(EV_READ))
            // libevent does not report again what arrived in the meantime.
            if evbuffer_get_length(bufferevent_get_input(buffers)) > 0 { callAgain() }
        } else {
            bufferevent_disable(buffers, Int16(EV_READ))
        }
    }

    func waitForSpace(_ isWaiting: Bool) { isWaitingForSpace = isWaiting }

    func callAgain() {
        guard let buffers else { return }
        bufferevent_trigger(
            buffers, Int16(EV_READ),
            Int32(BEV_TRIG_IGNORE_WATERMARKS.rawValue | BEV_TRIG_DEFER_CALLBACKS.rawValue))
    }

    /// Closes the channel after the accepted output was sent, or after the time limit.
    func close() {
        guard let buffers, closing == nil else { return }
        (readable, writable) = ({}, {})
        let hasOutput = evbuffer_get_length(bufferevent_get_output(buffers)) > 0
        guard hasOutput, state == .open || state == .ended else { return free() }
        bufferevent_disable(buffers, Int16(EV_READ))
        bufferevent_setwatermark(buffers, Int16(EV_WRITE), 0, 0)
        closingChannels.count += 1
        closing = (
            self, ScopedCountdown(on: loop, Self.closingTimeLimit) { [unowned self] in finish() }
        )
    }

    private func finish() {
        free()
        guard closing != nil else { return }
        closingChannels.count -= 1
        closing = nil
    }

    /// Closes TLS and releases the socket. Wraps SSL_shutdown(3), `bufferevent_free`.
    private func free() {
        guard let buffers = exchange(&buffers, with: nil) else { return }
        if state == .open || state == .ended {
            SSL_set_shutdown(tls, SSL_RECEIVED_SHUTDOWN)
            SSL_shutdown(tls)
        }
        bufferevent_setcb(buffers, nil, nil, nil, nil)
        bufferevent_free(buffers)
    }
}

/// Counts the TLS channels that their owners have closed, and whose last bytes are still being sent.
final class ClosingChannels {
    var count = 0
}
