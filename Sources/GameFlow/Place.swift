public import JSON

/// A state's name and data, for who does not know the flow.
///
/// It carries its JSON with it: each place is written at least twice, as where one change leads and as
/// where the next one comes from. A class, so that both, and the status between them, share it.
public final class Place: Sendable, Equatable {
    public let state: String
    public let data: [Member]
    /// `{"state":…,"data":{…}}`
    public let json: [UInt8]

    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
        json = JSONWriter.bytes {
            $0.beginObject()
            $0.name("state")
            $0.string(state)
            $0.name("data")
            $0.object(data)
            $0.endObject()
        }
    }

    public static func == (a: Place, b: Place) -> Bool {
        a === b || (a.state == b.state && a.data == b.data)
    }
}
