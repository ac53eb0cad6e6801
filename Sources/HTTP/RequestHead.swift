/// A request of HTTP without its body, and without its connection.
public struct RequestHead: Equatable, Sendable {
    /// The method's name, `GET`.
    public let method: String
    /// The path as it was sent; nothing in it is decoded.
    public let path: String
    /// The query's parameters, decoded; nil if one is given twice or cannot be decoded.
    public let query: [String: String]?
    /// The host that the target names itself, as that of a proxy's request does.
    public let targetHost: String?
    private let headers: [(name: String, value: String)]

    public init(
        _ method: String, _ path: String, query: [String: String]? = [:],
        targetHost: String? = nil, headers: [(name: String, value: String)] = []
    ) {
        (self.method, self.path, self.query) = (method, path, query)
        self.targetHost = targetHost?.lowercased()
        self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    }

    public static func == (one: RequestHead, other: RequestHead) -> Bool {
        one.method == other.method && one.path == other.path && one.query == other.query
            && one.targetHost == other.targetHost
            && one.headers.elementsEqual(other.headers, by: ==)
    }

    /// A header's value; of one that is given twice, the first.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// How often a header stands there.
    public func count(_ name: String) -> Int {
        let name = name.lowercased()
        return headers.count { $0.name == name }
    }

    /// The type of the body, without its parameters, in lower case.
    public var mediaType: String {
        (header("Content-Type") ?? "").prefix { $0 != ";" }.lowercased()
            .filter { $0 != " " && $0 != "\t" }
    }

    /// The token that `Authorization: Bearer` shows; an empty one of any other scheme.
    public var bearer: String? {
        guard let text = header("Authorization") else { return nil }
        let words = text.split(separator: " ")
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    }
}
