@testable import GamedServer

/// An HTTP request from an input: header lines, an empty line, and a body.
struct FuzzedRequest {
    let head: RequestHead
    let body: ArraySlice<UInt8>
    private static let headEnd = Array("\n\n".utf8)

    init(_ bytes: ArraySlice<UInt8>) {
        let emptyLine = bytes.indices.first { bytes[$0...].starts(with: Self.headEnd) }
        let lines = String(decoding: bytes[..<(emptyLine ?? bytes.startIndex)], as: UTF8.self)
        var headers = lines.split(separator: "\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            return (name: String(parts[0]), value: String(value))
        }
        // Without a line `Host`, the request is for the daemon's own address.
        if !headers.contains(where: { $0.name.lowercased() == "host" }) {
            headers.append(("Host", FuzzedServer.address))
        }
        let query = headers.first { $0.name.lowercased() == "query" }?.value
        head = RequestHead("POST", "/v1/rpc", query: Self.query(query ?? ""), headers: headers)
        body = emptyLine.map { bytes[($0 + Self.headEnd.count)...] } ?? bytes
    }

    /// The query's parameters, from the value of the line `Query`; nil if a parameter occurs twice.
    private static func query(_ text: String) -> [String: String]? {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard query[String(parts[0])] == nil else { return nil }
            query[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        return query
    }
}
