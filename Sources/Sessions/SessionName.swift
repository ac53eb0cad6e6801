internal import Glibc

/// A session's name: 1…64 characters of `A-Z a-z 0-9 . _ -`.
public struct SessionName: Hashable, Comparable, Sendable {
    public let text: String

    /// Creates a name; nil if the text is not a valid name.
    public init?(_ text: String) {
        guard 1...64 ~= text.utf8.count else { return nil }
        var text = text
        guard text.withUTF8({ $0.allSatisfy(Self.allows) }) else { return nil }
        self.text = text
    }

    /// The name of the default session, used if a request names none.
    public static let main = SessionName("main")!

    private static func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// Calls `use` with the bytes of the name, which are ASCII, and returns its result.
    func withBytes<Result>(_ use: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        // Each native text has contiguous storage, and this text was made from bytes.
        text.utf8.withContiguousStorageIfAvailable(use)!
    }

    func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        withBytes {
            $0.count == bytes.count && memcmp($0.baseAddress!, bytes.baseAddress!, $0.count) == 0
        }
    }

    public static func < (a: SessionName, b: SessionName) -> Bool { a.text < b.text }
}
