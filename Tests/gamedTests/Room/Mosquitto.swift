import Testing

extension ChildProcess {
    /// Starts the MQTT broker mosquitto with these options, and waits until it accepts connections.
    static func startMosquitto(_ options: String...) throws -> ChildProcess {
        let broker = try ChildProcess(["/usr/sbin/mosquitto"] + options, [], connecting: [2])
        // The line ends with the word. An earlier line, "… from clients running on this machine", comes before the broker
        // listens.
        #expect(broker.waitFor(" running\n"))
        return broker
    }
}
