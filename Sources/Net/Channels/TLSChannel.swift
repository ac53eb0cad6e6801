import CEventHTTP
import COpenSSL
package import EventLoop
import Glibc
import Timers

/// A channel with TLS, on a bufferevent of libevent, which calls OpenSSL.
package final class TLSChannel: Channel {
    private let loop: LibeventLoop
    private let closingChannels: ClosingChannels
    /// The bufferevent, which owns the socket and `tls`; nil if the channel is closed.
    private var buffers: OpaquePointer?
    /// The `SSL` object of the connection.
    private let tls: OpaquePointer
    /// The `SSL_CTX` for clients, with which each handshake begins; for a node, the handshake continues with another `SSL_CTX`.
    /// The pointer is valid as long as `tls` exists.
    private let clientContext: OpaquePointer?
    private var state = State.handshaking
    /// Whether `writable` is called when output is possible.
    private var isWaitingForSpace = false
    /// Set while the last bytes of the closed channel are being sent; retains the channel for that time.
    private var closing: (retainedChannel: TLSChannel, timeout: ScopedCountdown)?
    package var readable: () -> Void = {}
    package var writable: () -> Void = {}
    /// Called once at the end of the handshake, with whether it is complete.
    package var handshakeEnded: ((Bool) -> Void)?

    /// `ended`: the client has ended its input, and output is still possible. `broken`: the connection is lost.
    private enum State { case handshaking, open, ended, broken }

    /// The maximum number of bytes that libevent receives in advance, before `read` is called.
    private static let readAheadBytes = 65_536
    /// The maximum number of bytes that `write` has accepted and that are not sent yet.
    private static let writeBufferBytes = 256 << 10
    /// The time limit for sending the last bytes of a closed channel.
    private static let closingTimeLimit = Duration.seconds(5)

    /// Takes ownership of a non-blocking socket, and begins the handshake. If the result is nil, the caller still owns the
    /// socket. Wraps `bufferevent_openssl_socket_new`.
    ///
    /// A client that sends too many TLS records without data is disconnected. `reportRecordFlood` is then called once, with the
    /// maximum number of records.
    package init?(
        _ descriptor: Int32, _ security: TLSContext, _ budget: TLSRecordGuard.Budget,
        _ closingChannels: ClosingChannels, on loop: LibeventLoop,
        reportRecordFlood: @escaping (Int) -> Void
    ) {
        (self.loop, self.closingChannels) = (loop, closingChannels)
        guard let tls = security.makeSSL() else { return nil }
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
        TLSRecordGuard.attach(to: buffers, budget, exceeded: reportRecordFlood)
        NetworkSocket.disableSendDelay(descriptor)
        bufferevent_setwatermark(buffers, Int16(EV_READ), 0, Self.readAheadBytes)
        // `didWrite` is called when at most a quarter of the output buffer is used.
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
    package var certificateName: String? { isOfNode ? nil : CertificateNames.verified(tls) }

    /// Whether the other end requested the protocol of nodes. The handshake with a node uses another `SSL_CTX` than the
    /// handshake with a client.
    package var isOfNode: Bool { SSL_get_SSL_CTX(tls) != clientContext }

    /// Why the other end is not accepted as a node; nil if its certificate is the certificate of a node.
    package var nodeRefusal: String? {
        isOfNode ? NodeCertificates.refusal(tls) : "it did not ask to be treated as a node"
    }

    // MARK: libevent callbacks

    /// Called when decrypted bytes have arrived.
    private func didRead() {
        if state == .open || state == .ended { readable() }
    }

    /// Called when the output has fallen to the low watermark: zero for a channel that is being closed.
    private func didWrite() {
        if closing != nil {
            // libevent calls this in a later turn, when there may be new output.
            if !hasOutput { finish() }
            return
        }
        if isWaitingForSpace { writable() }
    }

    /// Called at the end of the handshake, and when the connection has ended or failed. `events` are bits `BEV_EVENT_…`.
    private func handleEvents(_ events: Int32) {
        if events & BEV_EVENT_CONNECTED != 0 {
            state = .open
            return endHandshake(true)
        }
        let wasHandshaking = state == .handshaking
        if events & BEV_EVENT_EOF != 0, state == .open {
            state = .ended
            // libevent has disabled reading and writing. Writing is enabled again, because the requests that have arrived are
            // still answered.
            if let buffers { bufferevent_enable(buffers, Int16(EV_WRITE)) }
        } else {
            state = .broken
        }
        if closing != nil { return finish() }
        if wasHandshaking { return endHandshake(false) }
        readable()
        // The owner may wait for space alone. Its next write then shows that the connection is lost.
        if state == .broken, isWaitingForSpace { writable() }
    }

    /// Whether output waits that `write` has accepted.
    private var hasOutput: Bool {
        buffers.map { evbuffer_get_length(bufferevent_get_output($0)) > 0 } ?? false
    }

    /// Calls `handshakeEnded`, if it was not called yet.
    private func endHandshake(_ isComplete: Bool) {
        exchange(&handshakeEnded, with: nil)?(isComplete)
    }

    // MARK: Channel

    /// Wraps `evbuffer_remove`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
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
    package func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard let buffers, state == .open || state == .ended else { return .broken }
        let space = Self.writeBufferBytes - evbuffer_get_length(bufferevent_get_output(buffers))
        guard space > 0 else { return .later }
        let count = min(space, bytes.count)
        return bufferevent_write(buffers, bytes.baseAddress, count) == 0 ? .bytes(count) : .broken
    }

    package func waitForInput(_ isWaiting: Bool) {
        guard let buffers, state == .open else {
            // libevent reports the end once, and the owner may not have read it then.
            if isWaiting, state == .ended { callReadableLater() }
            return
        }
        if isWaiting {
            bufferevent_enable(buffers, Int16(EV_READ))
            // libevent does not call `didRead` for bytes that are already in its buffer.
            if evbuffer_get_length(bufferevent_get_input(buffers)) > 0 { callReadableLater() }
        } else {
            bufferevent_disable(buffers, Int16(EV_READ))
        }
    }

    package func waitForSpace(_ isWaiting: Bool) { isWaitingForSpace = isWaiting }

    package func callReadableLater() {
        guard let buffers else { return }
        bufferevent_trigger(
            buffers, Int16(EV_READ),
            Int32(BEV_TRIG_IGNORE_WATERMARKS.rawValue | BEV_TRIG_DEFER_CALLBACKS.rawValue))
    }

    /// Closes the channel. Output that `write` has accepted is still sent, for at most `closingTimeLimit`.
    package func close() {
        guard let buffers, closing == nil else { return }
        (readable, writable) = ({}, {})
        guard hasOutput, state == .open || state == .ended else { return free() }
        bufferevent_disable(buffers, Int16(EV_READ))
        // `didWrite` is now called only when all output was sent.
        bufferevent_setwatermark(buffers, Int16(EV_WRITE), 0, 0)
        closingChannels.count += 1
        closing = (
            self, ScopedCountdown(on: loop, Self.closingTimeLimit) { [unowned self] in finish() }
        )
    }

    /// Frees the connection of a closed channel whose last bytes were sent, or cannot be sent in time. The channel then no
    /// longer retains itself.
    private func finish() {
        free()
        guard closing != nil else { return }
        closingChannels.count -= 1
        closing = nil
    }

    /// Ends TLS, and closes the socket. Wraps SSL_shutdown(3), `bufferevent_free`.
    private func free() {
        guard let buffers = exchange(&buffers, with: nil) else { return }
        if state == .open || state == .ended {
            // Without this flag, SSL_shutdown(3) would have to be called again after the client's end of TLS has arrived.
            SSL_set_shutdown(tls, SSL_RECEIVED_SHUTDOWN)
            SSL_shutdown(tls)
        }
        bufferevent_setcb(buffers, nil, nil, nil, nil)
        bufferevent_free(buffers)
    }
}

/// Counts the TLS channels that their owners have closed, and whose last bytes are still being sent.
package final class ClosingChannels {
    package fileprivate(set) var count = 0

    package init() {}
}
