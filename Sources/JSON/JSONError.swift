/// Why a text is not taken as JSON.
public enum JSONError: Error, Equatable {
    /// It breaks the grammar of RFC 8259, or has a member twice. `at` counts bytes from 0.
    case malformed(_ why: String, at: Int)
    /// It nests deeper than `JSONText.depthLimit`.
    case tooDeep
}
