/// Where a controller answers: in this process, or behind a socket. A stream of H4 in each direction.
public protocol HCIEndpoint: AnyObject {
    /// Who is told what comes of it; nobody else calls what is below.
    var host: (any HCIHost)? { get set }
    /// Begins; the host is told once it is open, or that it did not come about. Called again after it was closed.
    func open()
    /// Sends, in the order in which it was called.
    func send(_ bytes: [UInt8])
    /// Ends it; the host is not told.
    func close()
}

/// The other end of an endpoint. It is not called from inside of what it calls itself.
public protocol HCIHost: AnyObject {
    func opened()
    func received(_ bytes: ArraySlice<UInt8>)
    /// It ended, or never began; why, in words.
    func closed(_ why: String)
}
