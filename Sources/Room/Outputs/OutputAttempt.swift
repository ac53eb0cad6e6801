/// One attempt to send an output, which `OutputSenders` makes.
package struct OutputAttempt {
    package let content: any OutputContent
    /// The fingerprint of the `on` line: a hash of its text.
    package let line: UInt64
    package let node: SendingNode
    /// How long the attempt may take.
    package let timeout: Duration
    /// The length of the chain of steps that led to the output.
    package let linkedSteps: Int

    package init(
        _ content: any OutputContent, line: UInt64, node: SendingNode, timeout: Duration,
        linkedSteps: Int = 0
    ) {
        (self.content, self.line, self.node, self.timeout) = (content, line, node, timeout)
        self.linkedSteps = linkedSteps
    }
}
