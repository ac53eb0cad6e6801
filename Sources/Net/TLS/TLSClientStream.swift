internal import COpenSSL

/// The client side of one TLS connection. It converts bytes in memory; its owner reads and writes the socket.
public final class TLSClientStream {
    private let ssl: OpaquePointer
    /// OpenSSL's memory buffers for bytes from the server and for bytes to the server.
    private let (input, output): (OpaquePointer, OpaquePointer)
    /// Room for the data of one TLS record, which has at most 16 384 bytes.
    private var readBuffer = [UInt8](repeating: 0, count: 16_384)
    /// The data that will be encrypted when the handshake is complete.
    private var unsent: [UInt8] = []

    /// Creates the stream of a connection to a host; see `TLSClientContext.connection`. Nil if there is not enough memory.
    public init?(_ context: TLSClientContext, host: String?) {
        guard let ssl = context.connection(to: host) else { return nil }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            return nil
        }
        // The two buffers are freed with the connection.
        SSL_set_bio(ssl, input, output)
        (self.ssl, self.input, self.output) = (ssl, input, output)
    }

    deinit { SSL_free(ssl) }

    /// Decrypts bytes that came from the server, and returns the data that they contain. The first call passes no bytes and
    /// begins the handshake. After each call `takeOutput` returns the bytes to send. Throws if the connection cannot be
    /// continued.
    public func receive(_ bytes: ArraySlice<UInt8>) throws(TLSClientError) -> [UInt8] {
        if !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { BIO_write(input, $0.baseAddress, Int32($0.count)) }
            guard count == bytes.count else { throw TLSClientError(why: "no memory") }
        }
        if SSL_is_init_finished(ssl) == 0 {
            try check(SSL_do_handshake(ssl))
            guard SSL_is_init_finished(ssl) != 0 else { return [] }
            try send(exchange(&unsent, with: []))
        }
        var data: [UInt8] = []
        while true {
            let count = SSL_read(ssl, &readBuffer, Int32(readBuffer.count))
            guard count > 0 else {
                // The server may send its last data and the end of the connection together. Then this call returns the data,
                // and the owner learns of the end from the socket.
                let hasEnded = SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN
                if !hasEnded || data.isEmpty { try check(count) }
                return data
            }
            data += readBuffer[..<Int(count)]
        }
    }

    /// Encrypts data, at once or when the handshake is complete. After the call `takeOutput` returns the bytes to send.
    public func send(_ data: [UInt8]) throws(TLSClientError) {
        guard SSL_is_init_finished(ssl) != 0 else {
            unsent += data
            return
        }
        guard !data.isEmpty else { return }
        try check(SSL_write(ssl, data, Int32(data.count)))
    }

    /// Removes and returns the bytes that are to be sent to the server.
    public func takeOutput() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
        guard !bytes.isEmpty else { return [] }
        let count = BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }

    /// Throws if the result of an OpenSSL call means that the connection cannot be continued.
    private func check(_ result: Int32) throws(TLSClientError) {
        guard result <= 0 else { return }
        let code = SSL_get_error(ssl, result)
        let reason = ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) }
        ERR_clear_error()
        switch code {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        case SSL_ERROR_ZERO_RETURN: throw TLSClientError(why: "the server closed the connection")
        default:
            let why = TLSClientContext.certificateError(ssl) ?? reason ?? "error \(code)"
            throw TLSClientError(why: "TLS: \(why)")
        }
    }
}
