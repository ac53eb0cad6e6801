/// The data that `OutputQueue`, the queue of waiting outputs, stores for the sender of an output: the content, the effect, and
/// the node that sends the output.
package struct OutputMessage {
    /// The name of the effect that asked for the output. Empty if something else caused the output, such as an entry.
    package let effect: String
    /// The name of the target, as operators see it, such as `run /usr/local/lib/vault/scene`.
    let destination: String
    /// What is sent, or why nothing can be sent.
    package let result: Result<any OutputContent, ContentError>
    package var node = SendingNode.this
    /// The length of the chain of steps that led to the change; see `Source.linkedSteps`.
    package var linkedSteps = 0

    /// What is sent; nil if nothing can be sent.
    package var content: (any OutputContent)? { try? result.get() }
    /// Whether the output is a step of another session. Such an output is sent even while an operator has switched outputs off.
    var isSend: Bool { content is StepContent }
}
