extension StringProtocol {
    /// Whether two texts have the same bytes in UTF-8. `==` is also true for texts that are canonically equivalent, such as an
    /// é of one scalar and an é of two scalars. Texts from outside are opaque: other bytes are another text.
    @inlinable public func hasSameBytes(as other: some StringProtocol) -> Bool {
        // Most texts that differ have different lengths, or are not equal in the sense of `==` either, which is faster.
        guard utf8.count == other.utf8.count, self == other else { return false }
        let result = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// A text from outside as a key of a dictionary or a set. It is compared, ordered and hashed by its bytes, see `hasSameBytes`.
public struct ByteText: Hashable, Comparable, Sendable {
    public let text: String

    @inlinable public init(_ text: String) { self.text = text }

    @inlinable public static func == (a: ByteText, b: ByteText) -> Bool {
        a.text.hasSameBytes(as: b.text)
    }

    /// The order of the bytes.
    public static func < (a: ByteText, b: ByteText) -> Bool {
        a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
    }

    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(bytesOf: text) }
}

extension Hasher {
    /// Hashes the bytes of a text, and their number, so that the text cannot merge with what is hashed after it.
    @inlinable public mutating func combine(bytesOf text: String) {
        var text = text
        text.withUTF8 { bytes in
            combine(bytes.count)
            combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}
