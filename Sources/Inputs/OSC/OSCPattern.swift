/// A pattern for addresses, as OSC defines it: `?` matches one character, `*` any number of characters, `[a-c]` one character
/// of a set, `[!a-c]` one character that is not in the set, and `{on,off}` one of several texts. `?`, `*` and sets match no
/// slash.
public struct OSCPattern: Equatable, Sendable {
    public let text: String
    private let pieces: [Piece]

    private enum Piece: Equatable {
        case byte(UInt8)
        case anyByte
        case anyBytes
        case set([ClosedRange<UInt8>], isNegated: Bool)
        case choice([[UInt8]])
    }

    private static let slash = UInt8(ascii: "/")

    /// Nil if the text does not begin with a slash, has a bracket that is not closed, or contains a space, `#` or a control
    /// character.
    public init?(_ text: String) {
        var unread = Array(text.utf8)[...]
        guard unread.first == Self.slash else { return nil }
        var pieces: [Piece] = []
        while let byte = unread.popFirst() {
            switch byte {
            case UInt8(ascii: "?"): pieces.append(.anyByte)
            case UInt8(ascii: "*"): if pieces.last != .anyBytes { pieces.append(.anyBytes) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let close = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
                guard let end = unread.firstIndex(of: close) else { return nil }
                let inside = unread[..<end]
                unread = unread[(end + 1)...]
                pieces.append(
                    byte == UInt8(ascii: "[")
                        ? Self.set(inside)
                        : .choice(
                            inside.split(
                                separator: UInt8(ascii: ","), omittingEmptySubsequences: false
                            ).map(Array.init)))
            default:
                guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "#") else { return nil }
                pieces.append(.byte(byte))
            }
        }
        (self.text, self.pieces) = (text, pieces)
    }

    private static func set(_ inside: ArraySlice<UInt8>) -> Piece {
        var inside = inside
        let isNegated = inside.first == UInt8(ascii: "!")
        if isNegated { inside = inside.dropFirst() }
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
        return .set(ranges, isNegated: isNegated)
    }

    /// Whether the pattern matches the whole address. For each piece, this computes all offsets at which a match of the pieces
    /// so far can end. So the time for an address is at most proportional to the length of the pattern times the length of the
    /// address.
    public func matches(_ address: String) -> Bool {
        let text = Array(address.utf8)
        var offsets = [0]
        for piece in pieces {
            offsets = Self.offsets(after: piece, offsets, text)
            if offsets.isEmpty { return false }
        }
        return offsets.last == text.count
    }

    /// The offsets at which a piece can end if it begins at one of `offsets`. `offsets` and the result are in increasing order.
    private static func offsets(after piece: Piece, _ offsets: [Int], _ text: [UInt8]) -> [Int] {
        switch piece {
        case .byte(let byte): return step(offsets, text) { $0 == byte }
        case .anyByte: return step(offsets, text) { $0 != slash }
        case .set(let ranges, let isNegated):
            return step(offsets, text) { byte in
                byte != slash && ranges.contains { $0.contains(byte) } != isNegated
            }
        case .choice(let texts):
            var found: Set<Int> = []
            for offset in offsets {
                for choice in texts where text[offset...].starts(with: choice) {
                    found.insert(offset + choice.count)
                }
            }
            return found.sorted()
        case .anyBytes: return offsets.isEmpty ? [] : offsetsInPart(offsets, text)
        }
    }

    /// The offsets after each byte that is at one of `offsets` and for which `matches` returns true.
    private static func step(_ offsets: [Int], _ text: [UInt8], _ matches: (UInt8) -> Bool)
        -> [Int]
    {
        offsets.compactMap { $0 < text.count && matches(text[$0]) ? $0 + 1 : nil }
    }

    /// These offsets, and all offsets after them up to the next slash.
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
