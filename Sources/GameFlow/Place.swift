public import JSON

/// A state's name and data, for who does not know the flow.
///
/// A class: where one change leads is where the next one comes from, and the status between them is the same.
public final class Place: Sendable, Equatable {
    public let state: String
    public let data: [Member]

    public init(_ state: String, _ data: [Member] = []) {
        self.state = state
        self.data = data
    }

    /// `{"state":…,"data":{…}}`, written anew each time; see `JSONWriter.place(_:)`.
    public var json: [UInt8] { JSONWriter.bytes { $0.place(self) } }

    /// About how many bytes its data take as JSON; 0 without data.
    public var size: Int { data.size }

    public static func == (a: Place, b: Place) -> Bool {
        a === b || (a.state == b.state && a.data == b.data)
    }
}

extension [Member] {
    /// About how many bytes they take as JSON.
    var size: Int { reduce(0) { $0 + $1.name.utf8.count + 4 + $1.value.size } }
}

extension Value {
    fileprivate var size: Int {
        switch self {
        case .null, .bool: 5
        case .int: 8
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + $1.size + 1 }
        case .object(let members): members.size + 2
        case .unfit(_, let raw): raw.utf8.count
        }
    }
}
