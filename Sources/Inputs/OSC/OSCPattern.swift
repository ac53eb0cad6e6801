/// A pattern for OSC addresses, in OSC's own form: `?` is one character, `*` any characters, `[a-c]` or `[!a-c]` a
/// set, `{on,off}` one of several texts. None of them matches a slash.
public struct OSCPattern: Equatable, Sendable {
    public let text: String
    private let pieces: [Piece]

    private enum Piece: Equatable {
        case byte(UInt8)
        case any
        case some
        case set([ClosedRange<UInt8>], isExcluded: Bool)
        case choice([[UInt8]])
    }

    private static let slash = UInt8(ascii: "/")
    /// The maximum number of `*`: each of them multiplies the work of a comparison.
    public static let stars = 4

    /// Nil if the text does not begin with a slash, a bracket is not closed, or there are too many `*`.
    public init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard rest.first == Self.slash else { return nil }
        var pieces: [Piece] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "?"): pieces.append(.any)
            case UInt8(ascii: "*"): if pieces.last != .some { pieces.append(.some) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
                guard let end = rest.firstIndex(of: close) else { return nil }
                let inside = rest[..<end]
                rest = rest[(end + 1)...]
                pieces.append(
                    byte == UInt8(ascii: "[")
                        ? Self.set(inside)
                        : .choice(
                            inside.split(
                                separator: UInt8(ascii: ","), omittingEmptySubsequences: false
                            ).map(Array.init)))
            default:
                guard byte > 0x20, byte != UInt8(ascii: "#") else { return nil }
                pieces.append(.byte(byte))
            }
        }
        guard pieces.count(where: { $0 == .some }) <= Self.stars else { return nil }
        (self.text, self.pieces) = (text, pieces)
    }

    private static func set(_ inside: ArraySlice<UInt8>) -> Piece {
        var inside = inside
        let isExcluded = inside.first == UInt8(ascii: "!")
        if isExcluded { inside = inside.dropFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        while let low = inside.popFirst() {
            if inside.count >= 2, inside.first == UInt8(ascii: "-"),
                let high = inside.dropFirst().first
            {
                inside = inside.dropFirst(2)
                ranges.append(min(low, high)...max(low, high))
            } else {
                ranges.append(low...low)
            }
        }
        return .set(ranges, isExcluded: isExcluded)
    }

    public func matches(_ address: String) -> Bool {
        Self.matches(pieces[...], Array(address.utf8)[...])
    }

    private static func matches(_ pieces: ArraySlice<Piece>, _ text: ArraySlice<UInt8>) -> Bool {
        var (pieces, text) = (pieces, text)
        while let piece = pieces.popFirst() {
            switch piece {
            case .byte(let byte): guard text.popFirst() == byte else { return false }
            case .any: guard let byte = text.popFirst(), byte != slash else { return false }
            case .set(let ranges, let isExcluded):
                guard let byte = text.popFirst(), byte != slash,
                    ranges.contains(where: { $0.contains(byte) }) != isExcluded
                else { return false }
            case .choice(let texts):
                return texts.contains {
                    text.starts(with: $0) && matches(pieces, text.dropFirst($0.count))
                }
            case .some:
                while true {
                    if matches(pieces, text) { return true }
                    guard let byte = text.popFirst(), byte != slash else { return false }
                }
            }
        }
        return text.isEmpty
    }
}
