@testable import Connections
@testable import HTTP

/// An HTTP request from an input: header lines, an empty line, and a body.
struct FuzzedRequest {
    let head: RequestHead
    let body: ArraySlice<UInt8>
    private static let headEnd = Array("\n\n".utf8)

    init(_ bytes: ArraySlice<UInt8>) {
        let emptyLine = bytes.indices.first { bytes[$0...].starts(with: Self.headEnd) }
        body = emptyLine.map { bytes[($0 + Self.headEnd.count)...] } ?? bytes
        var lines = bytes[..<(emptyLine ?? bytes.startIndex)].split(separator: 0x0A).map(Array.init)
        let query = lines.first { $0.starts(with: "Query: ".utf8) }?.dropFirst(7) ?? []
        // Without a line `Host`, the request is for the daemon's own address.
        if !lines.contains(where: { $0.starts(with: "Host:".utf8) }) {
            lines.append(Array("Host: \(FuzzedServer.address)".utf8))
        }
        let firstLine = Array("POST /v1/rpc?".utf8) + query + Array(" HTTP/1.1".utf8)
        var reader = RequestReader(headLimit: 1 << 20, bodyLimit: 0)
        let text = ([firstLine] + lines).joined(separator: [0x0A]) + [0x0A, 0x0A]
        Array(text).withUnsafeBytes { reader.append($0) }
        // A head that the daemon would not read stands for one without further lines.
        let isRead = (try? reader.read()) ?? false
        head = isRead ? reader.head : RequestHead()
    }
}
