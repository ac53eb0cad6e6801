public import JSON
internal import Sessions

/// An encoded notification: one line, encoded once for all peers with the same view.
public final class EncodedNotification {
    /// The whole line, newline included.
    public let line: [UInt8]
    /// The method of the notification.
    public let method: String
    /// The `pos` of the change. A peer that has received it has received everything up to there.
    /// Nil if the notification has none.
    public let pos: Int?
    /// The newest journal row that the notification depends on: it is sent once that row is
    /// durable. 0 if it need not wait.
    public let row: Int
    private let body: Range<Int>
    /// The parameters as a JSON object.
    public var params: ArraySlice<UInt8> { line[body] }

    /// Makes a notification; `params` writes its parameters.
    public init(
        _ method: StaticString, row: Int = 0, pos: Int? = nil, _ params: (inout JSONWriter) -> Void
    ) {
        self.row = row
        self.method = method.description
        self.pos = pos
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.name("jsonrpc")
        writer.raw("\"2.0\"")
        writer.name("method")
        writer.raw("\"")
        writer.raw(method)
        writer.raw("\"")
        writer.name("params")
        let start = writer.count
        params(&writer)
        body = start..<writer.count
        writer.endObject()
        writer.newline()
        line = writer.bytes
    }

    convenience init(
        _ method: StaticString, of notice: Notification, _ params: (inout JSONWriter) -> Void
    ) {
        self.init(method, row: notice.row, pos: notice.pos, params)
    }
}
