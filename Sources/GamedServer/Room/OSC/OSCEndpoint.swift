import EventLoop
import Inputs
import Net

/// The address of a line `osc`: the numeric address of this machine at which OSC messages are received, and from which other OSC
/// messages are sent.
struct OSCEndpoint: ConnectionEndpoint {
    static let word = "osc"
    static let form = "NAME listen=ADDRESS:PORT"
    static let sentence = "Receive OSC messages over UDP at this numeric address."
    static let keys = ["listen"]
    static var serviceNeed: ServiceNeed { .network(word, dropIn: word) }
    static var pattern: any InputPattern.Type { OSCInputPattern.self }

    let host: String
    let port: UInt16

    static func hasLocation(_ line: ConnectionDirective) -> Bool { false }

    func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let socket = OSCConnection(host: host, port: port, on: loop)
        let connection = RoomConnection(line, socket)
        socket.onInput = { [unowned connection] message, sender in
            connection.onInput(OSCInput(message: message, peer: sender))
        }
        return connection
    }
}

extension OSCEndpoint {
    init(_ line: ConnectionDirective) throws(ConfigurationFile.ConfigurationError) {
        guard let address = line.value("listen") else { throw line.incomplete }
        guard case .network(let host, let port)? = Address(address),
            HostLookup.numericAddresses(of: host, port) != nil
        else {
            throw line.mistake(
                "listen", "expected a numeric address and a port, such as 0.0.0.0:9000")
        }
        self.init(host: host, port: port)
    }
}
