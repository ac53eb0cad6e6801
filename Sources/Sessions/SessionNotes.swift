public import GameFlow
internal import Support
public import Timers

/// The labels of a session, and the message that its screens show. The labels and the message are replaced
/// together.
public final class SessionNotes: Equatable, Sendable {
    /// The labels in the order in which they were added; the values are texts.
    public let labels: [Member]
    public let message: Message?

    /// A message that the session's screens show.
    public struct Message: Equatable, Sendable {
        public let text: String
        /// The `seq` of the change that sent the message.
        public let seq: Int
        /// The instant until which the message is shown; nil means until the next message.
        public let until: Instant?

        public init(text: String, seq: Int, until: Instant?) {
            (self.text, self.seq, self.until) = (text, seq, until)
        }
    }

    public init(labels: [Member] = [], message: Message? = nil) {
        (self.labels, self.message) = (labels, message)
    }

    public static func == (a: SessionNotes, b: SessionNotes) -> Bool {
        a === b || (a.labels == b.labels && a.message == b.message)
    }

    /// Whether there are neither labels nor a message.
    var isEmpty: Bool { labels.isEmpty && message == nil }

    // MARK: changing labels

    /// Returns the labels after changes; an empty value removes a label. Throws for a name or a value that no label
    /// can have, and if there are too many labels.
    static func labels(_ labels: [Member], changedBy changes: [Member], of session: SessionName)
        throws(RequestError) -> [Member]
    {
        var labels = labels
        for change in changes {
            guard NoteLimits.isLabelName(change.name) else {
                throw .invalid(
                    .session(session.text),
                    argument: String(change.name.prefix(NoteLimits.labelNameLength)),
                    why: NoteLimits.labelNameRule)
            }
            guard case .string(let text) = change.value,
                text.unicodeScalars.count <= NoteLimits.labelLength
            else {
                throw .invalid(
                    .session(session.text), argument: change.name,
                    why: NoteLimits.labelValueRule)
            }
            let index = labels.firstIndex { $0.name == change.name }
            switch (index, text.isEmpty) {
            case (let index?, true): labels.remove(at: index)
            case (let index?, false): labels[index] = change
            case (nil, true): break
            case (nil, false): labels.append(change)
            }
        }
        guard labels.count <= NoteLimits.labels else {
            throw .limit(which: "labels", limit: NoteLimits.labels)
        }
        return labels
    }
}
