import Testing

extension ChildProcess {
    /// Starts the MQTT broker mosquitto with these options, and waits until it accepts connections.
    static func startMosquitto(_ options: String...) throws -> ChildProcess {
        let broker = try ChildProcess(["/usr/sbin/mosquitto"] + options, connecting: [2])
        // The awaited log line ends with this word. An earlier line, which appears before the broker listens, has the word in
        // the middle: "… from clients running on this machine".
        #expect(broker.waitFor(" running\n"))
        return broker
    }
}
