public import JSON

/// One thing that watchers are told: a line, made once for all of them.
public final class Notice {
    /// The whole notification as it goes over the wire, newline included.
    public let line: [UInt8]
    /// What happened, as the notification's method says.
    public let method: String
    /// The position of what it shows, where who was told up to there has been told everything.
    public let pos: Int?
    /// Where in the line the parameters stand.
    private let body: Range<Int>
    /// The parameters, a JSON object.
    public var params: ArraySlice<UInt8> { line[body] }
    /// The newest row of what it shows: it goes out once that is on the disk. 0 where there is none.
    public internal(set) var mark: Int

    /// A JSON-RPC notification whose parameters `params` writes.
    public init(
        _ method: StaticString, mark: Int = 0, pos: Int? = nil,
        _ params: (inout JSONWriter) -> Void
    ) {
        self.mark = mark
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

    /// A change.
    public convenience init(_ change: Change, mark: Int = 0) {
        self.init("change", mark: mark, pos: change.pos) { $0.change(change) }
    }
}
