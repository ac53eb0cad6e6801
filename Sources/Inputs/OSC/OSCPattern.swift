/// A pattern for addresses, as OSC defines it:
/// - `?` matches one character.
/// - `*` matches any number of characters.
/// - `[a-c]` matches one character of a set.
/// - `[!a-c]` matches one character that is not in the set.
/// - `{on,off}` matches one of several texts.
///
/// `?`, `*` and sets match no slash. Each byte counts as a character, so a character outside ASCII counts as two to four
/// characters.
public struct OSCPattern: Equatable, Sendable {
    public let text: String
    private let pieces: [Piece]

    private enum Piece: Equatable {
        /// A byte that stands for itself.
        case byte(UInt8)
        /// `?`
        case anyByte
        /// `*`
        case anyBytes
        /// `[...]`; with `isNegated`, any byte that is in none of the ranges.
        case set([ClosedRange<UInt8>], isNegated: Bool)
        /// `{...,...}`: one of these texts must match.
        case choice([[UInt8]])
    }

    private static let slash = UInt8(ascii: "/")

    /// Parses a pattern. Nil if the text does not begin with a slash, or if it has a bracket that is not closed. Also nil if a
    /// space, `#` or a control character is outside of brackets.
    public init?(_ text: String) {
        var unread = Array(text.utf8)[...]
        guard unread.first == Self.slash else { return nil }
        var pieces: [Piece] = []
        while let byte = unread.popFirst() {
            switch byte {
            case UInt8(ascii: "?"): pieces.append(.anyByte)
            case UInt8(ascii: "*"): if pieces.last != .anyBytes { pieces.append(.anyBytes) }
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                let closingBracket =
                    byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
                guard let end = unread.firstIndex(of: closingBracket) else { return nil }
                let contents = unread[..<end]
                unread = unread[(end + 1)...]
                pieces.append(
                    byte == UInt8(ascii: "[")
                        ? Self.set(contents)
                        : .choice(
                            contents.split(
                                separator: UInt8(ascii: ","), omittingEmptySubsequences: false
                            ).map(Array.init)))
            default:
                guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "#") else { return nil }
                pieces.append(.byte(byte))
            }
        }
        (self.text, self.pieces) = (text, pieces)
    }

    /// Parses the contents of square brackets.
    private static func set(_ contents: ArraySlice<UInt8>) -> Piece {
        var unread = contents
        let isNegated = unread.first == UInt8(ascii: "!")
        if isNegated { unread = unread.dropFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        while let low = unread.popFirst() {
            if unread.count >= 2, unread.first == UInt8(ascii: "-"),
                let high = unread.dropFirst().first
            {
                unread = unread.dropFirst(2)
                ranges.append(min(low, high)...max(low, high))
            } else {
                ranges.append(low...low)
            }
        }
        return .set(ranges, isNegated: isNegated)
    }

    /// Whether the pattern matches the whole address. For each piece, this function computes all offsets at which a match of
    /// this piece and all earlier pieces can end. So the time for an address is at most proportional to the length of the
    /// pattern times the length of the address.
    public func matches(_ address: String) -> Bool {
        let text = Array(address.utf8)
        var offsets = [0]
        for piece in pieces {
            offsets = Self.offsets(after: piece, offsets, text)
            if offsets.isEmpty { return false }
        }
        // The offsets are in increasing order.
        return offsets.last == text.count
    }

    /// The offsets at which a piece can end if it begins at one of `offsets`. `offsets` and the result are in increasing order.
    private static func offsets(after piece: Piece, _ offsets: [Int], _ text: [UInt8]) -> [Int] {
        switch piece {
        case .byte(let byte): return offsetsAfterByte(offsets, text) { $0 == byte }
        case .anyByte: return offsetsAfterByte(offsets, text) { $0 != slash }
        case .set(let ranges, let isNegated):
            return offsetsAfterByte(offsets, text) { byte in
                byte != slash && ranges.contains { $0.contains(byte) } != isNegated
            }
        case .choice(let texts):
            var ends: Set<Int> = []
            for offset in offsets {
                for choice in texts where text[offset...].starts(with: choice) {
                    ends.insert(offset + choice.count)
                }
            }
            return ends.sorted()
        case .anyBytes: return offsets.isEmpty ? [] : offsetsInPart(offsets, text)
        }
    }

    /// The offsets after each byte that is at one of `offsets` and for which `matches` returns true.
    private static func offsetsAfterByte(
        _ offsets: [Int], _ text: [UInt8], _ matches: (UInt8) -> Bool
    ) -> [Int] {
        offsets.compactMap { $0 < text.count && matches(text[$0]) ? $0 + 1 : nil }
    }

    /// The offsets at which `*` can end if it begins at one of `offsets`: this offset, and all later offsets up to the next
    /// slash.
    private static func offsetsInPart(_ offsets: [Int], _ text: [UInt8]) -> [Int] {
        var ends: [Int] = []
        for offset in offsets where offset > (ends.last ?? -1) {
            ends.append(offset)
            var end = offset
            while end < text.count, text[end] != slash {
                end += 1
                ends.append(end)
            }
        }
        return ends
    }
}
