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

    /// Nil if the text does not begin with a slash, or a bracket is not closed.
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

    /// Whether an address matches as a whole. An address comes from the network, so the work is at most the length of the
    /// pattern times that of the address: each piece takes all offsets at once up to which the pieces before it match.
    public func matches(_ address: String) -> Bool {
        let text = Array(address.utf8)
        var offsets = [0]
        for piece in pieces {
            offsets = Self.offsets(after: piece, offsets, text)
            if offsets.isEmpty { return false }
        }
        return offsets.last == text.count
    }

    /// The offsets behind a piece that begins at one of these offsets. Both are in increasing order.
    private static func offsets(after piece: Piece, _ offsets: [Int], _ text: [UInt8]) -> [Int] {
        switch piece {
        case .byte(let byte): return step(offsets, text) { $0 == byte }
        case .any: return step(offsets, text) { $0 != slash }
        case .set(let ranges, let isExcluded):
            return step(offsets, text) { byte in
                byte != slash && ranges.contains { $0.contains(byte) } != isExcluded
            }
        case .choice(let texts):
            var found: Set<Int> = []
            for offset in offsets {
                for choice in texts where text[offset...].starts(with: choice) {
                    found.insert(offset + choice.count)
                }
            }
            return found.sorted()
        case .some: return offsets.isEmpty ? [] : offsetsInPart(offsets, text)
        }
    }

    /// The offsets behind one byte for which the condition is true.
    private static func step(_ offsets: [Int], _ text: [UInt8], _ matches: (UInt8) -> Bool)
        -> [Int]
    {
        offsets.compactMap { $0 < text.count && matches(text[$0]) ? $0 + 1 : nil }
    }

    /// These offsets, and all that follow them before the next slash.
    private static func offsetsInPart(_ offsets: [Int], _ text: [UInt8]) -> [Int] {
        var found: [Int] = []
        for offset in offsets where offset > (found.last ?? -1) {
            found.append(offset)
            var next = offset
            while next < text.count, text[next] != slash {
                next += 1
                found.append(next)
            }
        }
        return found
    }
}
