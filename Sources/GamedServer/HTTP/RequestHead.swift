/// The head of an HTTP request: its first line and its headers. The names of headers are compared without regard to upper and
/// lower case.
struct RequestHead: Equatable, Sendable {
    /// The method, such as `GET`.
    let method: String
    /// The path as it was sent, without decoding of `%` escapes, and without the query.
    let path: String
    /// The decoded query parameters; nil if one appears twice or cannot be decoded.
    let query: [String: String]?
    /// The host in the request target, in lower case, if the target is a complete URL, as in `GET http://host/path`; else nil.
    /// Clients send a complete URL to a proxy.
    let targetHost: String?
    /// The headers in the order in which they were sent; their names are in lower case.
    private let headers: [(name: String, value: String)]

    init(
        _ method: String, _ path: String, query: [String: String]? = [:],
        targetHost: String? = nil, headers: [(name: String, value: String)] = []
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        self.targetHost = targetHost?.lowercased()
        self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    }

    // The compiler does not synthesise `==` for the array of tuples.
    static func == (one: RequestHead, other: RequestHead) -> Bool {
        one.method == other.method && one.path == other.path && one.query == other.query
            && one.targetHost == other.targetHost
            && one.headers.elementsEqual(other.headers, by: ==)
    }

    /// The value of a header; nil if the header does not appear. If the header appears more than once, its first value.
    func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// The values of a header, in order.
    func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return headers.filter { $0.name == name }.map(\.value)
    }

    /// How many times a header appears.
    func count(_ name: String) -> Int {
        let name = name.lowercased()
        return headers.count { $0.name == name }
    }

    /// The media type of the body, without parameters, in lower case; empty without the header `Content-Type`.
    var mediaType: String {
        // Bytes, because a walk by characters takes longer than the rest of a request.
        let bytes = (header("Content-Type") ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let name = bytes.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return String(decoding: name, as: UTF8.self).lowercased()
    }

    /// The token in the header `Authorization: Bearer TOKEN`. Empty, which is no valid token, if the header has another form;
    /// nil without the header.
    var bearer: String? {
        guard let text = header("Authorization") else { return nil }
        let words = text.split(separator: " ")
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    }
}
