/// To add a kind, write its folder, and add its types here.
extension RoomKinds {
    /// The kinds of connections, in the order of the help.
    package static let connections: [any ConnectionEndpoint.Type] = [
        MQTTBroker.self, OSCEndpoint.self, SerialEndpoint.self, EvdevEndpoint.self,
    ]

    /// The kinds of targets of `on` lines, in the order of the help.
    package static let outputs: [any OutputTarget.Type] = [
        MQTTOutput.self, OSCOutput.self, SerialOutput.self, WebOutput.self, ProgramOutput.self,
        ArtNetOutput.self,
    ]
}
