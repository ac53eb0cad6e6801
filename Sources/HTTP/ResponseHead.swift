package import Glibc

/// The head of an HTTP response: the headers that the answer to the present request has beside those of every response, and how
/// all of them are written.
package struct ResponseHead {
    /// The lines of these headers.
    private var fields: [UInt8] = []
    /// The value of the header `Cache-Control`.
    package var caching: StaticString = "no-store"
    /// The value of the header `Retry-After` of a response with the status 429, in seconds.
    package var retrySeconds = 1
    /// Whether the client speaks HTTP/1.0.
    package var isVersion10 = false
    /// Whether the request is a HEAD: the response has the head of the response to a GET, and no body (RFC 9110, section 9.3.2).
    package var isForHead = false
    /// Whether the connection is closed after the response.
    package var closesConnection = false

    /// What follows the head.
    package enum Body {
        case nothing
        /// A body of this number of bytes. The response to HEAD has the length, and no body.
        case bytes(Int)
        /// A body whose end is not known. It is divided into chunks (RFC 9112, section 7.1), or ends with the connection.
        case stream
    }

    package init() {}

    /// Adds a header.
    package mutating func set(_ name: StaticString, _ value: String) {
        fields.append(name)
        fields.append(": ")
        fields.append(contentsOf: value.utf8)
        fields.append("\r\n")
    }

    /// The headers of every response. They tell the client not to interpret the response as another type. They also tell the
    /// client that other sites must not embed the response or learn the address of the page.
    private static let commonFields = Array(
        ("X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
            + "Cross-Origin-Resource-Policy: same-origin\r\nCache-Control: ").utf8)

    /// Writes the head, with the empty line at its end. `type` is the media type of the body, and `date` the present time.
    package func write(
        _ status: WebStatus, _ type: StaticString?, _ body: Body, date: [UInt8],
        to bytes: inout [UInt8]
    ) {
        bytes.append(isVersion10 ? "HTTP/1.0 " : "HTTP/1.1 ")
        bytes.append(status.line)
        if let type {
            bytes.append("\r\nContent-Type: ")
            bytes.append(type)
        }
        switch body {
        case .nothing: bytes.append("\r\n")
        case .bytes(let count):
            bytes.append("\r\nContent-Length: ")
            bytes.append(contentsOf: String(count).utf8)
            bytes.append("\r\n")
        case .stream: bytes.append(isVersion10 ? "\r\n" : "\r\nTransfer-Encoding: chunked\r\n")
        }
        if closesConnection {
            bytes.append("Connection: close\r\n")
        } else if isVersion10 {
            bytes.append("Connection: keep-alive\r\n")
        }
        if status == .unauthorized { bytes.append("WWW-Authenticate: Bearer realm=\"gamed\"\r\n") }
        if status == .tooManyRequests {
            bytes.append(contentsOf: "Retry-After: \(retrySeconds)\r\n".utf8)
        }
        bytes += fields
        bytes += Self.commonFields
        bytes.append(caching)
        bytes.append("\r\nDate: ")
        bytes += date
        bytes.append("\r\n\r\n")
    }
}

/// The time of a response, in the format of RFC 9110, section 5.6.7.
package struct HTTPDate {
    /// The newest text, and the second of Unix time that it names.
    private var newest: (second: time_t, text: [UInt8]) = (-1, [])

    package init() {}

    /// The text of the present time. It is made once a second.
    package mutating func text() -> [UInt8] {
        let now = time(nil)
        if now != newest.second { newest = (now, Self.text(of: now)) }
        return newest.text
    }

    /// Wraps strftime(3). The daemon sets no locale, so the names are English.
    package static func text(of second: time_t) -> [UInt8] {
        var (second, parts) = (second, tm())
        gmtime_r(&second, &parts)
        return [UInt8](unsafeUninitializedCapacity: 64) { memory, count in
            count = memory.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress!, $0.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            }
        }
    }
}

extension [UInt8] {
    /// Appends the bytes of a literal.
    mutating func append(_ literal: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}
