package import GameFlow
import Sessions

/// A content that another node can send, as members of a message between nodes.
package protocol RelayableContent: OutputContent {
    var members: [Member] { get }
    /// Nil if the members describe no content of this kind, or a content that no line permits, such as a line with control
    /// characters.
    init?(_ members: [Member])
}

/// A target that may be at another node, because only that node has the connection or the program. The node that owns the
/// session sends the outputs to all other targets.
package protocol RelayableTarget: OutputTarget where Content: RelayableContent {
    /// What this node sends for a content that another node has made; nil if a line with this target cannot ask for it.
    func own(_ content: Content) -> Content?
}

extension RelayableTarget {
    fileprivate static func content(_ members: [Member]) -> (any RelayableContent)? {
        Content(members)
    }

    fileprivate func own(anyContent content: any RelayableContent) -> (any OutputContent)? {
        guard let content = content as? Content else { return nil }
        return own(content)
    }
}

/// An output that another node is to send. This type writes the output to a message between nodes, and reads it from one.
package struct RelayedOutput {
    /// The fingerprint of the `on` line, a hash of its text. The other node sends the output only if it has the same line.
    package let line: UInt64
    package let content: any RelayableContent
    /// The length of the chain of steps that led to the output; see `Source.linkedSteps`.
    package let linkedSteps: Int

    /// Nil for a content that only the owner of the session can send.
    package init?(_ attempt: OutputAttempt) {
        guard let content = attempt.content as? any RelayableContent else { return nil }
        (self.content, line, linkedSteps) = (content, attempt.line, attempt.linkedSteps)
    }

    /// What this node sends for the output; nil if a line with this target cannot ask for it.
    package func content(for target: any OutputTarget) -> (any OutputContent)? {
        (target as? any RelayableTarget)?.own(anyContent: content)
    }

    /// The output as a value that `init(_ value:)` reads.
    package var value: Value {
        .object(
            [Member("line", String(line, radix: 36))] + content.members
                + (linkedSteps > 0 ? [Member("linkedSteps", linkedSteps)] : []))
    }

    /// Reads an output from a message; nil if the value is not an output.
    package init?(_ value: Value) {
        guard case .object(let members) = value,
            let line = members["line"]?.text.flatMap({ UInt64($0, radix: 36) }),
            let content = RoomKinds.outputs.lazy.compactMap({ kind in
                (kind as? any RelayableTarget.Type)?.content(members)
            }).first
        else { return nil }
        (self.line, self.content) = (line, content)
        // A node of an earlier version does not send the number.
        if case .int(let number)? = members["linkedSteps"] {
            linkedSteps = min(max(0, number), Source.linkedStepsLimit)
        } else {
            linkedSteps = 0
        }
    }
}
