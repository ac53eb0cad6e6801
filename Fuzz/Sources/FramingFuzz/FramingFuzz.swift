import Fuzzing

@testable import Connections
@testable import HTTP

/// Fuzzes the reader of HTTP requests.
///
/// The bytes of an input arrive once in pieces of the size `pieceSize`, and once as a whole. The requests must be the same in both
/// cases. Written again in the simplest form, they must be read as the same requests.
@main struct FramingFuzz {
    private static let headLimit = 16_384
    /// The limit when requests are read again: text that is not UTF-8 has become longer.
    private static let longHeadLimit = 65_536
    private static let bodyLimit = 131_072

    static func main() { fuzz { FramingFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let whole = read(bytes, inPiecesOf: max(1, bytes.count), headLimit)
        let split = read(bytes, inPiecesOf: pieceSize(for: bytes), headLimit)
        check(whole.requests == split.requests, "the pieces in which bytes arrive change requests")
        check(whole.failure == split.failure, "the pieces in which bytes arrive change the failure")
        let text = whole.requests.flatMap(\.text)
        let again = read(text, inPiecesOf: max(1, text.count), longHeadLimit)
        check(again.failure == nil, "a request is malformed: \(again.failure?.why ?? "")")
        check(again.requests == whole.requests, "the requests are not the same when read again")
        return 0
    }

    /// What the daemon uses of a request.
    private struct Request: Equatable {
        let method: HTTPMethod
        let isVersion10, closes: Bool
        let target, body: [UInt8]
        let host, contentType: String?

        init(_ reader: RequestReader) {
            let head = reader.head
            (method, isVersion10, closes) = (head.method, head.isVersion10, head.closesConnection)
            let host = head.targetHostRange.map { Array("//".utf8) + head.bytes[$0] } ?? []
            let query = Array(head.bytes[head.queryRange])
            if method == .connect {
                target = host.dropFirst(2) + [UInt8(ascii: ":")]
            } else {
                let rest = head.path + (query.isEmpty ? [] : [UInt8(ascii: "?")] + query)
                // A target that is only a fragment stands for the empty path.
                target = host.isEmpty && rest.isEmpty ? [UInt8(ascii: "#")] : host + rest
            }
            body = Array(reader.body)
            self.host = head.header("Host")
            contentType = head.header("Content-Type")
            _ = (head.query, head.bearer, head.hasMediaType("application/json"))
        }

        /// The request in the simplest form.
        var text: [UInt8] {
            var text = Array("\(method.rawValue) ".utf8) + target
            text += Array(" HTTP/1.\(isVersion10 ? 0 : 1)\r\n".utf8)
            if let host { text += Array("Host: \(host)\r\n".utf8) }
            if let contentType { text += Array("Content-Type: \(contentType)\r\n".utf8) }
            text += Array("Connection: \(closes ? "close" : "keep-alive")\r\n".utf8)
            return text + Array("Content-Length: \(body.count)\r\n\r\n".utf8) + body
        }
    }

    private static func read(_ bytes: [UInt8], inPiecesOf size: Int, _ headLimit: Int)
        -> (requests: [Request], failure: HTTPFramingError?)
    {
        var reader = RequestReader(headLimit: headLimit, bodyLimit: bodyLimit)
        var requests: [Request] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.append($0) }
            do throws(HTTPFramingError) {
                while try reader.read() {
                    requests.append(Request(reader))
                    if !reader.hasUnreadBytes { break }
                }
            } catch { return (requests, error) }
        }
        return (requests, nil)
    }
}
