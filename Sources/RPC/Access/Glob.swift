internal import Glibc
internal import Support

/// A pattern for names: `*` matches any text, `?` one character, `[a-c]` one of those characters.
public struct Glob: Equatable, Sendable {
    /// The text of the pattern, as an operator wrote it.
    public let pattern: String
    /// Whether the pattern matches every name.
    public let isAll: Bool

    public init(_ pattern: String) {
        self.pattern = pattern
        isAll = pattern == "*"
    }

    public static let all = Glob("*")

    public static func == (a: Glob, b: Glob) -> Bool { a.pattern.hasSameBytes(as: b.pattern) }

    /// Whether the pattern matches the whole name. Wraps fnmatch(3) without flags, so `*` and `?` match `/` and a leading
    /// dot too.
    public func matches(_ name: String) -> Bool {
        isAll || fnmatch(pattern, name, 0) == 0
    }
}
