import Testing

extension ChildProcess {
    /// Starts the MQTT broker mosquitto with these options, and waits until it accepts connections.
    static func startMosquitto(_ options: String...) throws -> ChildProcess {
        let broker = try ChildProcess(["/usr/sbin/mosquitto"] + options, [], connecting: [2])
        // The awaited line ends with this word. An earlier line has it in the middle, "… from clients running on this machine",
        // and appears before the broker listens.
        #expect(broker.waitFor(" running\n"))
        return broker
    }
}
