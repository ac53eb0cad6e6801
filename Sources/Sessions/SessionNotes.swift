public import GameFlow
public import Timers

/// What people attached to a session: labels, and the message that its screens show. It is replaced as a whole.
public final class SessionNotes: Equatable, Sendable {
    /// The labels in the order in which they were added; the values are texts.
    public let labels: [Member]
    public let said: Said?

    /// The message that the session's screens show.
    public struct Said: Equatable, Sendable {
        public let text: String
        /// The number of the change with which it was sent.
        public let seq: Int
        /// The instant until which it is shown; nil until the next message.
        public let until: Instant?

        public init(text: String, seq: Int, until: Instant?) {
            (self.text, self.seq, self.until) = (text, seq, until)
        }
    }

    public init(labels: [Member] = [], said: Said? = nil) {
        (self.labels, self.said) = (labels, said)
    }

    public static func == (a: SessionNotes, b: SessionNotes) -> Bool {
        a === b || (a.labels == b.labels && a.said == b.said)
    }

    /// Whether there is nothing.
    var isEmpty: Bool { labels.isEmpty && said == nil }

    // MARK: limits

    /// The maximum number of labels of a session.
    public static let labelLimit = 32
    /// The maximum number of Unicode scalars of a label's value.
    public static let labelLength = 200
    /// The number of Unicode scalars of a message.
    public static let messageLength = 1...500
    /// The maximum number of characters of a label's name.
    public static let labelNameLength = 64

    /// Whether a label may have this name: a letter or `_`, then letters, digits and `_`.
    public static func isLabelName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= labelNameLength else { return false }
        func isLetter(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || byte == UInt8(ascii: "_")
        }
        func isDigit(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    /// Returns the labels after changes; an empty value removes a label. Throws for a name or a value that no label
    /// can have, and if there are too many.
    static func labels(_ labels: [Member], changedBy changes: [Member], of session: SessionName)
        throws(RequestError) -> [Member]
    {
        var labels = labels
        for change in changes {
            guard isLabelName(change.name) else {
                throw .invalid(
                    .session(session.text), argument: String(change.name.prefix(labelNameLength)),
                    why: "a label's name is a letter or _, then up to \(labelNameLength - 1) "
                        + "letters, digits and _")
            }
            guard case .string(let text) = change.value,
                text.unicodeScalars.count <= labelLength
            else {
                throw .invalid(
                    .session(session.text), argument: change.name,
                    why: "a label's value is a text of at most \(labelLength) characters")
            }
            let place = labels.firstIndex { $0.name == change.name }
            switch (place, text.isEmpty) {
            case (let place?, true): labels.remove(at: place)
            case (let place?, false): labels[place] = change
            case (nil, true): break
            case (nil, false): labels.append(change)
            }
        }
        guard labels.count <= labelLimit else { throw .limit(which: "labels", limit: labelLimit) }
        return labels
    }
}
