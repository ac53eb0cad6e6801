/// The kinds of devices of the room. Each kind is one folder; to add a kind, write its folder, and add its types here.
enum RoomKinds {
    /// The kinds of connections, in the order of the help.
    static let connections: [any ConnectionEndpoint.Type] = [
        MQTTBroker.self, OSCEndpoint.self, SerialEndpoint.self, EvdevEndpoint.self,
    ]

    /// The kind of connection whose lines begin with this word; nil if there is none.
    static func connection(_ word: String) -> (any ConnectionEndpoint.Type)? {
        connections.first { $0.word == word }
    }

    /// The forms as a part of a sentence: `A`, `B` or `C`, in the markup of the help.
    static func alternatives(_ forms: [String]) -> String {
        let quoted = forms.map { "`\($0)`" }
        return quoted.count < 2
            ? quoted.joined()
            : quoted.dropLast().joined(separator: ", ") + " or " + (quoted.last ?? "")
    }
}
