import CEventHTTP
import COpenSSL
package import EventLoop
import HTTP
package import Net
import Parts
import Timers

/// One HTTP request to one address. `WebSender` creates an object for each attempt. libevent's HTTP client sends the request.
/// Only the status of the reply is used: the connection is closed when the header of the reply has arrived. Redirects are not
/// followed.
package final class OutgoingRequest {
    /// How the request ended: with a status, or with a sentence about the failure.
    package enum Ending: Sendable {
        case status(Int)
        case failed(String)
    }

    private let loop: LibeventLoop
    private let done: (Ending) -> Void
    /// The `evhttp_connection`, the TLS connection that it owns, if it has one, and the callback that gets the bytes of the server
    /// first. Nil before the request begins and after it has ended.
    private var connection: (http: OpaquePointer, ssl: OpaquePointer?, observer: OpaquePointer?)?
    private var interimReplies = InterimReplies()
    /// Whether an ending was reported.
    private var hasEnding = false
    /// Ends the request in the next turn, because libevent does not allow a callback to free its connection.
    private var endTimer = Alarm()
    /// Ends the request when its time-out is over.
    private var deadline = Alarm()

    /// The maximum length of the header of a reply, in bytes.
    package static let headerBytes = 16_384

    /// Sends the request. `address` is numeric; `tls` is needed for `https`. Calls `done` once, in a later turn of the loop,
    /// unless this object is released before.
    package init(
        _ request: WebRequestContent, to address: String, timeout: Duration,
        _ tls: TLSClientContext?, on loop: LibeventLoop, _ done: @escaping (Ending) -> Void
    ) {
        (self.loop, self.done) = (loop, done)
        if let why = start(request, address, tls) {
            finish(.failed(why))
            return
        }
        deadline.set(on: loop, timeout) { [unowned self] in
            finish(.failed("no reply in time"))
        }
    }

    deinit { close() }

    /// Begins to send the request. Returns a sentence about the failure; nil on success. Wraps
    /// `evhttp_connection_base_bufferevent_new` and `evhttp_make_request`.
    private func start(_ request: WebRequestContent, _ address: String, _ tls: TLSClientContext?)
        -> String?
    {
        guard let (bufferevent, ssl) = makeBufferevent(request.origin, tls) else {
            return "no TLS connection"
        }
        guard
            // There is no DNS base (nil), because the address is numeric.
            let connection = evhttp_connection_base_bufferevent_new(
                loop.base, nil, bufferevent, address, request.origin.port)
        else {
            bufferevent_free(bufferevent)
            return "no connection"
        }
        self.connection = (connection, ssl, skipInterimReplies(bufferevent))
        evhttp_connection_set_max_headers_size(connection, Self.headerBytes)
        // The body of the reply is not read.
        evhttp_connection_set_max_body_size(connection, 0)
        // The callbacks of libevent get this object as a pointer.
        let me = Unmanaged.passUnretained(self).toOpaque()
        let libeventRequest = evhttp_request_new(
            { request, me in
                guard let me else { return }
                Unmanaged<OutgoingRequest>.fromOpaque(me).takeUnretainedValue().completed(request)
            }, me)
        guard let libeventRequest else { return "no memory" }
        evhttp_request_set_header_cb(libeventRequest) { request, me in
            guard let me else { return -1 }
            // The body of the reply is not awaited.
            Unmanaged<OutgoingRequest>.fromOpaque(me).takeUnretainedValue().completed(request)
            return 0
        }
        write(request, to: libeventRequest)
        let command = Self.command(request.method)
        guard evhttp_make_request(connection, libeventRequest, command, request.path) == 0 else {
            return "the connection failed"
        }
        return nil
    }

    private static func command(_ method: HTTPMethod) -> evhttp_cmd_type {
        switch method {
        case .get: EVHTTP_REQ_GET
        case .post: EVHTTP_REQ_POST
        case .head: EVHTTP_REQ_HEAD
        case .put: EVHTTP_REQ_PUT
        case .delete: EVHTTP_REQ_DELETE
        case .options: EVHTTP_REQ_OPTIONS
        case .trace: EVHTTP_REQ_TRACE
        case .connect: EVHTTP_REQ_CONNECT
        case .patch: EVHTTP_REQ_PATCH
        }
    }

    /// Creates the socket and, for `https`, the TLS connection, which the bufferevent owns. Nil on failure.
    private func makeBufferevent(_ origin: HTTPOrigin, _ tls: TLSClientContext?)
        -> (bufferevent: OpaquePointer, ssl: OpaquePointer?)?
    {
        let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue | BEV_OPT_DEFER_CALLBACKS.rawValue)
        guard origin.isSecure else {
            return bufferevent_socket_new(loop.base, -1, options).map { ($0, nil) }
        }
        guard let ssl = tls?.connection(to: origin.host) else { return nil }
        return bufferevent_openssl_socket_new(
            loop.base, -1, ssl, BUFFEREVENT_SSL_CONNECTING, options
        ).map { ($0, ssl) }
    }

    /// Writes the headers and the body of `request` to the request of libevent.
    private func write(_ request: WebRequestContent, to libeventRequest: OpaquePointer) {
        let headers = evhttp_request_get_output_headers(libeventRequest)
        var lines = [("Host", request.origin.authority), ("Connection", "close")]
        lines += request.headers.map { ($0.name, $0.value) }
        lines.append(("User-Agent", "gamed"))
        lines += Self.webhookHeaders(of: request)
        if !request.body.isEmpty || request.method != .get {
            lines.append(("Content-Length", "\(request.body.count)"))
        }
        // The first header of a name is sent. So the headers of the `on` line replace those that are added after them.
        for (name, value) in lines where evhttp_find_header(headers, name) == nil {
            evhttp_add_header(headers, name, value)
        }
        evbuffer_add(
            evhttp_request_get_output_buffer(libeventRequest), request.body, request.body.count)
    }

    /// The headers of Standard Webhooks 1.0, with the time of this attempt. Without secrets there is no signature.
    private static func webhookHeaders(of request: WebRequestContent) -> [(String, String)] {
        let seconds = WallClock.seconds
        var headers = [("webhook-id", request.id), ("webhook-timestamp", "\(seconds)")]
        if !request.secrets.isEmpty {
            let signatures = request.secrets.map {
                $0.signature(id: request.id, seconds: seconds, body: request.body)
            }
            headers.append(("webhook-signature", signatures.joined(separator: " ")))
        }
        return headers
    }

    /// Removes the interim replies from what the server sends, before libevent's HTTP client reads it. Returns the callback, which
    /// must be removed before this object is released. Wraps `evbuffer_add_cb`.
    private func skipInterimReplies(_ bufferevent: OpaquePointer) -> OpaquePointer? {
        evbuffer_add_cb(
            bufferevent_get_input(bufferevent),
            { input, info, me in
                // The removal of bytes also causes a call.
                guard let input, let me, let added = info?.pointee.n_added, added > 0 else {
                    return
                }
                Unmanaged<OutgoingRequest>.fromOpaque(me).takeUnretainedValue().received(input)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func received(_ input: OpaquePointer) {
        guard !interimReplies.areOver else { return }
        var bytes = [UInt8](repeating: 0, count: evbuffer_get_length(input))
        evbuffer_remove(input, &bytes, bytes.count)
        let reply = interimReplies.skip(in: bytes)
        evbuffer_add(input, reply, reply.count)
    }

    /// Called when all header lines of the reply have arrived, or when the request has failed and has no status.
    private func completed(_ request: OpaquePointer?) {
        let status = request.map { evhttp_request_get_response_code($0) } ?? 0
        if status > 0 { return finish(.status(Int(status))) }
        let certificateError = connection?.ssl.flatMap { TLSClientContext.certificateError($0) }
        finish(.failed(certificateError ?? "the connection failed"))
    }

    /// Ends the request with the first ending that is reported, and calls `done` in the next turn.
    private func finish(_ ending: Ending) {
        guard !exchange(&hasEnding, with: true) else { return }
        deadline.stop()
        endTimer.set(on: loop, .zero) { [unowned self] in
            close()
            done(ending)
        }
    }

    /// Closes the connection, if it is open.
    private func close() {
        guard let (connection, _, observer) = exchange(&connection, with: nil) else { return }
        if let observer {
            let bufferevent = evhttp_connection_get_bufferevent(connection)
            evbuffer_remove_cb_entry(bufferevent_get_input(bufferevent), observer)
        }
        // `evhttp_connection_free` also frees the bufferevent and the TLS connection. It may call `completed`, which has no effect if
        // `hasEnding` is set.
        hasEnding = true
        evhttp_connection_free(connection)
    }
}
