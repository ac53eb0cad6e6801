/// A connection to a Bluetooth controller, in this process or by a socket: a stream of HCI packets in each direction. The
/// packets have the H4 format, which begins with a byte for the packet's type.
public protocol HCIEndpoint: AnyObject {
    /// The user of this endpoint, which receives the controller's bytes. Only the host calls the methods below.
    var host: (any HCIHost)? { get set }
    /// Opens the connection, and reports `opened` or `closed` to the host. May be called again
    /// after `close`.
    func open()
    /// Sends bytes, in the order of the calls.
    func send(_ bytes: [UInt8])
    /// Closes the connection without a report to the host.
    func close()
}

/// The user of an endpoint; in the daemon, a `Central`. An endpoint never calls these methods while the host is calling a
/// method of the endpoint.
public protocol HCIHost: AnyObject {
    /// The connection is open: the host can send.
    func opened()
    /// Bytes of the controller have arrived. They need not be whole packets.
    func received(_ bytes: ArraySlice<UInt8>)
    /// The connection has ended or cannot be opened, for this reason.
    func closed(_ why: String)
}
