public import GameFlow
internal import Support

/// The labels of a session, the message that its screens show, and what it was opened with. These are replaced
/// together.
public final class SessionNotes: Equatable, Sendable {
    /// The labels in the order in which they were added; the values are texts.
    public let labels: [Member]
    package let message: ScreenMessage?
    /// What the session was opened with. Nil if its present labels and settings are still those of its opening.
    public let opening: Opening?

    /// The labels and settings that were given when the session was opened.
    public struct Opening: Equatable, Sendable {
        public let labels: [Member]
        public let settings: [Member]

        public init(labels: [Member], settings: [Member]) {
            (self.labels, self.settings) = (labels, settings)
        }
    }

    package init(labels: [Member] = [], message: ScreenMessage? = nil, opening: Opening? = nil) {
        (self.labels, self.message, self.opening) = (labels, message, opening)
    }

    public static func == (a: SessionNotes, b: SessionNotes) -> Bool {
        a === b
            || (a.labels == b.labels && a.message == b.message && a.opening == b.opening)
    }

    /// Whether there is nothing to store.
    var isEmpty: Bool { labels.isEmpty && message == nil && opening == nil }

    /// The labels without the rest; nil if there are no labels.
    var onlyLabels: SessionNotes? { labels.isEmpty ? nil : SessionNotes(labels: labels) }

    // MARK: changing labels

    /// Returns the labels after changes; an empty value removes a label. Throws for a name or a value that no label
    /// can have, and if there are too many labels.
    package static func labels(
        _ labels: [Member], changedBy changes: [Member], of session: SessionName
    )
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
