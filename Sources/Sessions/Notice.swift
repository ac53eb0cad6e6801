public import JSON

/// One thing that watchers are told: a line, made once for all of them.
public final class Notice {
    /// The whole notification as it goes over the wire, newline included.
    public let line: [UInt8]
    /// The newest row of what it shows: it goes out once that is on the disk. 0 where there is none.
    public internal(set) var mark: Int

    /// A JSON-RPC notification whose parameters `params` writes.
    public init(
        _ method: StaticString, mark: Int = 0, _ params: (inout JSONWriter) -> Void
    ) {
        self.mark = mark
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.name("jsonrpc")
        writer.raw("\"2.0\"")
        writer.name("method")
        writer.raw("\"")
        writer.raw(method)
        writer.raw("\"")
        writer.name("params")
        params(&writer)
        writer.endObject()
        writer.newline()
        line = writer.bytes
    }

    /// A change.
    public convenience init(_ change: Change, mark: Int = 0) {
        self.init("change", mark: mark) { $0.change(change) }
    }
}
