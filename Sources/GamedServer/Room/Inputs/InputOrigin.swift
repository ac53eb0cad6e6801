/// Where an input comes from that gamed itself has sent out, such as a message that a broker returns.
struct InputOrigin {
    enum Sender {
        /// An `on` line, by its fingerprint.
        case line(UInt64)
        /// A setting of the connection, such as `publish`.
        case setting(String)
    }

    /// The `linkedSteps` of the change that asked for what was sent.
    let linkedSteps: Int
    let sender: Sender
}
