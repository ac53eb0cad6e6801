internal import GameFlow

/// A value in JSON. An object is written as its members, because their order counts.
struct CodedValue: Codable, Equatable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    private enum Key: CodingKey { case members }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            let members = try container.decode([CodedMember].self, forKey: .members)
            value = .object(members.map(\.member))
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let int = try? container.decode(Int.self) {
            value = .int(int)
        } else if let string = try? container.decode(String.self) {
            value = .string(string)
        } else {
            value = .array(try container.decode([CodedValue].self).map(\.value))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if case .object(let members) = value {
            var container = encoder.container(keyedBy: Key.self)
            return try container.encode(members.map { CodedMember($0) }, forKey: .members)
        }
        var container = encoder.singleValueContainer()
        switch value {
        case .bool(let bool): try container.encode(bool)
        case .int(let int): try container.encode(int)
        case .string(let string): try container.encode(string)
        case .array(let values): try container.encode(values.map { CodedValue($0) })
        case .null, .object, .unfit: try container.encodeNil()
        }
    }
}
