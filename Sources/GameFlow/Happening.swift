public import JSON

/// An event's name and arguments, as they came, with its JSON; see `Place` for why.
public final class Happening: Sendable, Equatable {
    public let name: String
    public let arguments: [Member]
    /// `{"name":…,"args":{…}}`
    public let json: [UInt8]

    public init(_ name: String, _ arguments: [Member] = []) {
        self.name = name
        self.arguments = arguments
        json = JSONWriter.bytes {
            $0.beginObject()
            $0.name("name")
            $0.string(name)
            $0.name("args")
            $0.object(arguments)
            $0.endObject()
        }
    }

    public static func == (a: Happening, b: Happening) -> Bool {
        a === b || (a.name == b.name && a.arguments == b.arguments)
    }
}
