/// A listening socket, which is closed when the value is destroyed.
package enum ListeningSocket: ~Copyable {
    case network(NetworkSocket)
    case unix(UnixSocket)

    var descriptor: Int32 {
        switch self {
        case .network(let socket): socket.descriptor
        case .unix(let socket): socket.descriptor
        }
    }
}
