/// A pattern for a line that a serial device sends: `*` stands for any text, also an empty one. The pattern captures the texts
/// that its `*` stand for.
public struct LinePattern: Equatable, Sendable {
    public let text: String
    /// The texts before, between and after the `*`: one more than there are `*`.
    private let parts: [[UInt8]]

    public init(_ text: String) {
        self.text = text
        parts = Array(text.utf8).split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false
        ).map(Array.init)
    }

    /// The number of captured texts: one for each `*`.
    public var captureCount: Int { parts.count - 1 }

    /// The captured texts; nil if the line does not match. Each text but the last is as short as possible.
    public func match(_ line: [UInt8]) -> [String]? {
        guard let first = parts.first, let last = parts.last else { return nil }
        guard parts.count > 1 else { return line == first ? [] : nil }
        guard line.count >= first.count + last.count, line.starts(with: first),
            line.suffix(last.count).elementsEqual(last)
        else { return nil }
        var remaining = line[first.count..<line.count - last.count]
        var captured: [String] = []
        for part in parts.dropFirst().dropLast() {
            guard let start = Self.position(of: part, in: remaining) else { return nil }
            captured.append(String(decoding: remaining[..<start], as: UTF8.self))
            remaining = remaining[(start + part.count)...]
        }
        captured.append(String(decoding: remaining, as: UTF8.self))
        return captured
    }

    /// The index in `text` at which the first occurrence of `part` begins.
    private static func position(of part: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
        guard part.count <= text.count else { return nil }
        return (text.startIndex...text.endIndex - part.count).first {
            text[$0...].starts(with: part)
        }
    }
}
