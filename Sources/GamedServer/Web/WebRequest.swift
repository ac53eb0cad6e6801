import CEventHTTP
import Glibc

/// An HTTP request that libevent has read, and the means to answer it. `WebServer` must answer each request exactly once, even
/// if the client is gone, because the answer frees the request.
struct WebRequest {
    /// libevent's object, an `evhttp_request`. The answer frees it.
    let request: OpaquePointer

    init(_ request: OpaquePointer) { self.request = request }

    // MARK: request

    /// The request without its body. Each access parses it again.
    var head: RequestHead {
        RequestHead(
            method, part(evhttp_uri_get_path) ?? "/", query: query,
            targetHost: part(evhttp_uri_get_host), headers: headers)
    }

    /// The method's name. Wraps `evhttp_request_get_command`.
    private var method: String {
        switch evhttp_request_get_command(request) {
        case EVHTTP_REQ_GET: "GET"
        case EVHTTP_REQ_POST: "POST"
        case EVHTTP_REQ_HEAD: "HEAD"
        case EVHTTP_REQ_PUT: "PUT"
        case EVHTTP_REQ_DELETE: "DELETE"
        case EVHTTP_REQ_OPTIONS: "OPTIONS"
        case EVHTTP_REQ_TRACE: "TRACE"
        case EVHTTP_REQ_CONNECT: "CONNECT"
        case EVHTTP_REQ_PATCH: "PATCH"
        default: "?"
        }
    }

    /// The names and values of the query; nil if it is malformed.
    private var query: [String: String]? {
        guard let text = part(evhttp_uri_get_query), !text.isEmpty else { return [:] }
        return Self.pairs(in: text)
    }

    /// The decoded names and values of a query or a form; nil if a name appears twice or a part cannot be decoded.
    static func pairs(in text: String) -> [String: String]? {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0], plusIsSpace: true),
                let value = parts.count > 1 ? decode(parts[1], plusIsSpace: true) : "",
                query[name] == nil
            else { return nil }
            query[name] = value
        }
        return query
    }

    /// The part that the libevent function `getPart` reads from the request's URI; nil if the URI lacks this part.
    private func part(_ getPart: (OpaquePointer?) -> UnsafePointer<CChar>?) -> String? {
        getPart(evhttp_request_get_evhttp_uri(request)).map { String(cString: $0) }
    }

    /// The text with percent-encoding resolved; nil if the encoding is invalid or the result is not UTF-8. In queries and
    /// forms (`plusIsSpace`), `+` stands for a space; in paths it stands for itself. Wraps `evhttp_uridecode`.
    static func decode(_ text: Substring, plusIsSpace: Bool) -> String? {
        var length = 0
        guard let decoded = evhttp_uridecode(String(text), plusIsSpace ? 1 : 0, &length) else {
            return nil
        }
        defer { free(decoded) }
        return String(
            validating: UnsafeRawBufferPointer(start: decoded, count: length), as: UTF8.self)
    }

    private var headers: [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        var next = http_first_header(evhttp_request_get_input_headers(request))
        while let header = next?.pointee {
            headers.append((String(cString: header.key), String(cString: header.value)))
            next = header.next.tqe_next
        }
        return headers
    }

    /// The size of the body in bytes.
    var bodyLength: Int { evbuffer_get_length(evhttp_request_get_input_buffer(request)) }

    /// The body. Wraps `evbuffer_copyout`.
    var body: [UInt8] {
        let count = bodyLength
        return [UInt8](unsafeUninitializedCapacity: count) { memory, copiedCount in
            let buffer = evhttp_request_get_input_buffer(request)
            copiedCount = max(0, Int(evbuffer_copyout(buffer, memory.baseAddress, count)))
        }
    }

    // MARK: client

    /// The connection, an `evhttp_connection`; nil once the client is gone.
    var connection: OpaquePointer? { evhttp_request_get_connection(request) }
    /// The `bufferevent` of the connection: its socket with the buffers of libevent. Nil once the client is gone.
    var bufferevent: OpaquePointer? { connection.flatMap { evhttp_connection_get_bufferevent($0) } }
    var descriptor: Int32? { bufferevent.map { bufferevent_getfd($0) } }

    // MARK: other origins

    /// Lets a page of another origin read the answer. It is never sent with the cookies of that page's browser.
    func admit(_ origin: String) {
        set("Access-Control-Allow-Origin", origin)
        set("Vary", "Origin")
    }

    /// Answers the question of a browser whether a page of another origin may send a request.
    func replyToPreflight() {
        set("Access-Control-Allow-Methods", "GET, POST")
        set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID")
        // In seconds.
        set("Access-Control-Max-Age", "600")
        reply(.noContent, nil, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    // MARK: answer

    /// Adds a header to the answer.
    func set(_ header: String, _ value: String) {
        evhttp_add_header(evhttp_request_get_output_headers(request), header, value)
    }

    /// Sends the answer. `type` is the media type of the body. Wraps `evhttp_send_reply`.
    func reply(_ status: WebStatus, _ type: String? = nil, _ body: UnsafeRawBufferPointer) {
        if let type { set("Content-Type", type) }
        if status == .unauthorized { set("WWW-Authenticate", "Bearer realm=\"gamed\"") }
        // The unit is seconds.
        if status == .tooManyRequests { setUnlessSet("Retry-After", "1") }
        send(status) { evbuffer_add($0, body.baseAddress, body.count) }
    }

    /// Sends the answer with the body that `fill` adds to a buffer.
    private func send(_ status: WebStatus, _ fill: (OpaquePointer) -> Void) {
        setCommonHeaders()
        guard let buffer = evbuffer_new() else { preconditionFailure("no memory") }
        defer { evbuffer_free(buffer) }
        fill(buffer)
        // The answer to HEAD has the header of the answer to GET, and no body (RFC 9110, section 9.3.2). libevent would send the
        // body, and the client would read it as the beginning of the next answer.
        if evhttp_request_get_command(request) == EVHTTP_REQ_HEAD {
            let length = evbuffer_get_length(buffer)
            set("Content-Length", "\(length)")
            evbuffer_drain(buffer, length)
        }
        evhttp_send_reply(request, status.code, status.reason, buffer)
    }

    func reply(_ status: WebStatus, _ type: String, _ body: [UInt8]) {
        body.withUnsafeBytes { reply(status, type, $0) }
    }

    /// Sends a file, whose bytes are not copied.
    func reply(_ file: MediaFile) {
        set("Content-Type", file.type)
        send(.ok) { file.append(to: $0) }
    }

    /// Begins an answer whose body, of the media type `type`, is sent in parts later. Wraps `evhttp_send_reply_start`.
    func begin(_ type: String) {
        set("Content-Type", type)
        setCommonHeaders()
        evhttp_send_reply_start(request, 200, "OK")
    }

    /// Whether the body of the answer that `begin` has begun is divided into chunks. Each chunk begins with its length.
    var hasChunks: Bool {
        evhttp_find_header(evhttp_request_get_output_headers(request), "Transfer-Encoding") != nil
    }

    /// Sets the headers that all answers have. They forbid caches to store the answer, and they forbid other sites to embed it.
    /// A header that is already set is not changed.
    private func setCommonHeaders() {
        for (name, value) in WebError.commonHeaders { setUnlessSet(name, value) }
    }

    private func setUnlessSet(_ header: String, _ value: String) {
        let headers = evhttp_request_get_output_headers(request)
        if evhttp_find_header(headers, header) == nil { set(header, value) }
    }

    /// Sends an error in place of a result.
    func reply(_ error: WebError) {
        if let allow = error.allow { set("Allow", allow) }
        if error.closesConnection { set("Connection", "close") }
        reply(WebStatus(rawValue: error.code) ?? .badRequest, "application/json", error.body)
    }
}
