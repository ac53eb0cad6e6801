/// One attempt to send an output, which `OutputSenders` makes.
struct OutputAttempt {
    let content: OutputContent
    /// The fingerprint of the `on` line: a hash of its text.
    let line: UInt64
    /// The node that makes the attempt; nil for this node.
    let node: String?
    /// How long the attempt may take.
    let timeout: Duration

    init(_ content: OutputContent, line: UInt64, node: String?, timeout: Duration) {
        (self.content, self.line, self.node, self.timeout) = (content, line, node, timeout)
    }
}
