/// A connection to a controller, in this process or by a socket: a stream of H4 bytes in each
/// direction.
public protocol HCIEndpoint: AnyObject {
    /// Receives the bytes and the reports of this endpoint. Only the host calls the methods below.
    var host: (any HCIHost)? { get set }
    /// Opens the connection, and reports `opened` or `closed` to the host. May be called again
    /// after `close`.
    func open()
    /// Sends bytes, in the order of the calls.
    func send(_ bytes: [UInt8])
    /// Closes the connection without a report to the host.
    func close()
}

/// The user of an endpoint. The endpoint never calls it inside of one of its own methods.
public protocol HCIHost: AnyObject {
    func opened()
    func received(_ bytes: ArraySlice<UInt8>)
    /// The connection has ended or failed, for this reason.
    func closed(_ why: String)
}
