/// A request of HTTP, with what the daemon's own code asks of one: here it is read from an input, and nobody waits
/// for its answer.
struct WebRequest {
    private let head: [(name: String, value: String)]
    let body: ArraySlice<UInt8>
    private static let end = Array("\n\n".utf8)

    init(_ bytes: ArraySlice<UInt8>) {
        let empty = bytes.indices.first { bytes[$0...].starts(with: Self.end) }
        let lines = String(decoding: bytes[..<(empty ?? bytes.startIndex)], as: UTF8.self)
        head = lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (parts[0].lowercased(), String(value))
        }
        body = empty.map { bytes[($0 + Self.end.count)...] } ?? bytes
    }

    /// Of one that stands twice, the first. Whoever says nothing of a host has asked for the right one.
    func header(_ name: String) -> String? {
        let name = name.lowercased()
        if let found = head.first(where: { $0.name == name }) { return found.value }
        return name == "host" ? House.address : nil
    }

    /// The query's parameters, which stand in a line of the header here; nil if one stands twice.
    var query: [String: String]? {
        var query: [String: String] = [:]
        for pair in (header("Query") ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard query[String(parts[0])] == nil else { return nil }
            query[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return query
    }

    func set(_ header: String, _ value: String) {}
    func reply(_ status: WebStatus, _ type: String, _ body: [UInt8]) {}
}
