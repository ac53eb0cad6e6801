/// The name of a page of a browser, which the header `Gamed-Page` says: `desk`, or `play.main` for the players' page
/// of session `main`. Each page has a cookie of its own.
public struct PageName: Equatable, Sendable {
    /// A session's name has at most 64 characters, and `play.` goes before it.
    public static let longest = 80
    public let text: String

    public init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    /// The characters of a session's name; a cookie's name may have all of them.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
