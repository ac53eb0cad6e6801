/// The data that `OutputQueue`, the queue of waiting outputs, stores for the sender of an output: the content, the effect, and
/// the node that sends the output.
package struct OutputMessage {
    /// The name of the effect that asked for the output. Empty if something else caused the output, such as an entry.
    package let effect: String
    /// The name of the target, as operators see it, such as `run /usr/local/lib/vault/scene`.
    let destination: String
    /// Nil if the output cannot be sent: a value is missing, too long, or contains a separator, such as `/` in a topic.
    package let content: (any OutputContent)?
    package var node = SendingNode.this
    /// The length of the chain of steps that led to the change; see `Source.linkedSteps`.
    package var linkedSteps = 0

    /// Whether the output is a step of another session. Such an output is sent even while an operator has switched outputs off.
    var isSend: Bool { content is StepContent }

    /// Why an output has no content.
    static let noContentReason =
        "a value is missing, too long, or contains a separator, such as / in a topic"
}
