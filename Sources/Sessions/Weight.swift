internal import GameFlow

/// The approximate size of a value in bytes when it is written. The limits of rings, of the idempotency cache
/// and of the refusal audit count it.
extension Value {
    var weight: Int {
        switch self {
        case .null, .bool: 5
        case .int(let number): String(number).utf8.count
        case .string(let text): text.utf8.count + 2
        case .unfit(_, let raw): raw.utf8.count
        case .array(let values): values.reduce(2) { $0 + $1.weight + 1 }
        case .object(let members): members.weight
        }
    }
}

extension [Member] {
    var weight: Int { reduce(2) { $0 + $1.name.utf8.count + 4 + $1.value.weight } }
}

extension EventRecord {
    var weight: Int { name.utf8.count + arguments.weight + 20 }
}

extension StateRecord {
    var weight: Int { state.utf8.count + data.weight + 20 }
}
