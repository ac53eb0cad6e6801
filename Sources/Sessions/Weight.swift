internal import GameFlow
internal import JSON

/// About how many bytes from outside a value holds on to: what rings and memories of answers are limited by.
extension Value {
    var weight: Int {
        switch self {
        case .string(let text): 16 + text.utf8.count
        case .array(let values): values.reduce(16) { $0 + $1.weight }
        case .object(let members): members.weight
        default: 16
        }
    }
}

extension [Member] {
    var weight: Int { reduce(0) { $0 + 16 + $1.name.utf8.count + $1.value.weight } }
}

extension Happening {
    var weight: Int { arguments.weight }
}

extension Place {
    var weight: Int { data.weight }
}
