/// Where an input comes from that gamed itself has sent out, such as a message that a broker returns.
package struct InputOrigin {
    package enum Sender {
        /// An `on` line, by its fingerprint.
        case line(UInt64)
        /// A setting of the connection, such as `publish`.
        case setting(String)
    }

    /// The `linkedSteps` of the change that asked for what was sent.
    package let linkedSteps: Int
    package let sender: Sender
}
