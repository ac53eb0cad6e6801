/// A value of a YAML document with its position: a scalar, a list or a map.
struct DocumentNode {
    enum Content {
        /// A single value, as text. `isQuoted` tells whether it is written in quotes, or as a block after `|` or `>`.
        case scalar(String, isQuoted: Bool)
        case list([DocumentNode])
        case map([DocumentEntry])
    }

    let content: Content
    let position: FilePosition

    /// The text of a scalar; nil for a list or a map.
    var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The entries of a map; nil for a scalar or a list.
    var entries: [DocumentEntry]? {
        guard case .map(let entries) = content else { return nil }
        return entries
    }

    /// Whether the value is a scalar that is not plain; see `Content.scalar`.
    var isQuoted: Bool {
        guard case .scalar(_, isQuoted: true) = content else { return false }
        return true
    }

    /// Whether the value is missing, as in a line that ends after `goHome:`.
    var isEmpty: Bool {
        guard case .scalar("", isQuoted: false) = content else { return false }
        return true
    }

    /// The position of the first character of a scalar's text. In a quoted scalar, that is the character after the quote.
    var textPosition: FilePosition { isQuoted ? position.advanced(by: 1) : position }

    /// The kind of the node, for a sentence.
    var kind: String {
        switch content {
        case .scalar: isEmpty ? "nothing" : "a single value"
        case .list: "a list"
        case .map: "a map"
        }
    }
}

/// A key of a map and its value.
struct DocumentEntry {
    let key: String
    /// The position of the key.
    let position: FilePosition
    let value: DocumentNode
}
