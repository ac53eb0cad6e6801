import CEventHTTP
import COpenSSL

/// Limits how many TLS records one connection may send without application data.
///
/// `SSL_read` handles handshake messages, alerts and empty records in its own loop. It returns only when there is data or when
/// nothing more can be read. If a client sent such records without end, `SSL_read` would never return, and the event loop would
/// stop.
///
/// The guard counts each record that arrives, and begins again with zero when data was read. When there are too many records,
/// the guard makes the connection's input fail. The records of all connections together have a budget for each turn of the
/// loop. When the budget is used up, the guard stops the connection's reading until the next turn.
///
/// A guard belongs to one `SSL` object, which releases it. All calls are on the loop's thread.
package final class TLSRecordGuard {
    /// How many TLS records in a row without application data a connection may send, and how many records the connections of a
    /// loop may process in a turn.
    package struct Limits {
        let duringHandshake, afterHandshake, perTurn: Int

        package init(duringHandshake: Int, afterHandshake: Int, perTurn: Int) {
            (self.duringHandshake, self.afterHandshake) = (duringHandshake, afterHandshake)
            self.perTurn = perTurn
        }
    }

    /// How many records the connections of one loop may still process in this turn.
    package final class Budget {
        fileprivate let limits: Limits
        fileprivate var remaining: Int

        package init(_ limits: Limits) { (self.limits, remaining) = (limits, limits.perTurn) }

        /// Restores the full budget at the start of a turn of the loop.
        package func renew() { remaining = limits.perTurn }
    }

    private let budget: Budget
    /// Called with the maximum number of records when it is exceeded.
    private let exceeded: (Int) -> Void
    /// The `SSL` object of the connection.
    private let tls: OpaquePointer
    /// The number of records that have arrived since the most recent of these events: the connection began, the handshake
    /// ended, application data was read.
    private var recordCount = 0
    /// Whether the handshake was complete when a record arrived.
    private var isPastHandshake = false
    /// Whether the limit was exceeded, so that nothing more is read.
    private var isCut = false

    private init(
        _ tls: OpaquePointer, _ budget: Budget, _ exceeded: @escaping (Int) -> Void
    ) {
        (self.tls, self.budget, self.exceeded) = (tls, budget, exceeded)
    }

    /// Makes a guard for the connection of a bufferevent that uses TLS and already has its socket. `exceeded` is called once,
    /// with the maximum number of records, when the number is exceeded; it must not free the connection. Wraps
    /// `SSL_set_msg_callback`, `BIO_set_callback_ex`, `SSL_set_ex_data`, `evbuffer_add_cb`.
    static func attach(
        to buffers: OpaquePointer, _ budget: Budget, exceeded: @escaping (Int) -> Void
    ) {
        guard let tls = bufferevent_openssl_get_ssl(buffers), let input = SSL_get_rbio(tls) else {
            return
        }
        let recordGuard = TLSRecordGuard(tls, budget, exceeded)
        let me = Unmanaged.passRetained(recordGuard)
        guard SSL_set_ex_data(tls, exDataIndex, me.toOpaque()) == 1 else { return me.release() }
        // OpenSSL calls this with the header of each record, and with other parts of the protocol.
        SSL_set_msg_callback(tls) { isWritten, _, type, _, _, _, me in
            guard isWritten == 0, type == SSL3_RT_HEADER else { return }
            Unmanaged<TLSRecordGuard>.fromOpaque(me!).takeUnretainedValue().countRecord()
        }
        SSL_ctrl(tls, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, me.toOpaque())
        // OpenSSL calls this callback twice for each read from the socket: before the read and after it. If the result of the
        // first call is negative, OpenSSL does not read.
        BIO_set_callback_arg(input, me.toOpaque().assumingMemoryBound(to: CChar.self))
        BIO_set_callback_ex(input) { input, operation, _, _, _, _, result, _ in
            // The callback also runs when the BIO is freed, and the guard no longer exists then.
            guard operation == BIO_CB_READ, let me = BIO_get_callback_arg(input) else {
                return Int(result)
            }
            return Unmanaged<TLSRecordGuard>.fromOpaque(me).takeUnretainedValue().mayRead(input)
                ? Int(result) : -1
        }
        // libevent calls this when application data was added to the connection's input.
        evbuffer_add_cb(
            bufferevent_get_input(buffers),
            { _, change, me in
                guard let change, change.pointee.n_added > 0 else { return }
                Unmanaged<TLSRecordGuard>.fromOpaque(me!).takeUnretainedValue().recordCount = 0
            }, me.toOpaque())
    }

    /// The index under which an `SSL` object stores its guard. Wraps `CRYPTO_get_ex_new_index`.
    private static let exDataIndex = CRYPTO_get_ex_new_index(
        CRYPTO_EX_INDEX_SSL, 0, nil, nil, nil,
        { _, me, _, _, _, _ in
            if let me { Unmanaged<TLSRecordGuard>.fromOpaque(me).release() }
        })

    /// Counts a record that has arrived.
    private func countRecord() {
        if !isPastHandshake, SSL_is_init_finished(tls) == 1 {
            (isPastHandshake, recordCount) = (true, 0)
        }
        recordCount += 1
        budget.remaining -= 1
        let limits = budget.limits
        let limit = isPastHandshake ? limits.afterHandshake : limits.duringHandshake
        guard !isCut, recordCount > limit else { return }
        isCut = true
        exceeded(limit)
    }

    /// Whether the next bytes may be read now. If not, they stay in the socket: until the next turn, or for ever if the limit
    /// was exceeded.
    private func mayRead(_ input: OpaquePointer?) -> Bool {
        // These flags tell OpenSSL why a read has failed. With BIO_FLAGS_SHOULD_RETRY, OpenSSL tries again later. Without that
        // flag, OpenSSL regards the connection as broken.
        BIO_clear_flags(input, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        if isCut { return false }
        if budget.remaining > 0 { return true }
        BIO_set_flags(input, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return false
    }
}
