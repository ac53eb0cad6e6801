package import HTTP
import Testing

extension RequestHead {
    /// The head of a request with this first line and these headers.
    package init(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = []
    ) {
        let lines = ["\(method) \(target) HTTP/1.1"] + headers.map { "\($0.name): \($0.value)" }
        var reader = RequestReader(headLimit: 16_384, bodyLimit: 0)
        Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8).withUnsafeBytes {
            reader.append($0)
        }
        do throws(HTTPFramingError) { _ = try reader.read() } catch { Issue.record("\(error.why)") }
        self = reader.head
    }
}
