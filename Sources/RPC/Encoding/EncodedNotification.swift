public import JSON
internal import Sessions

/// A notification as it goes over the wire: a line, written once for all peers that have the same view.
public final class EncodedNotification {
    /// The whole line, newline included.
    public let line: [UInt8]
    /// What happened.
    public let method: String
    /// The position of what it shows, if a peer that has it has everything up to there.
    public let pos: Int?
    /// The newest row of what it shows: it goes out once that row is durable. 0 if it waits for none.
    public let row: Int
    private let body: Range<Int>
    /// The parameters, a JSON object.
    public var params: ArraySlice<UInt8> { line[body] }

    /// A notification whose parameters `params` writes.
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
