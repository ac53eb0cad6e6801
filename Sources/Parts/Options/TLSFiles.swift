/// The files with which this daemon proves who it is, and checks who is at the other end of a connection. Each of them has an
/// option.
package struct TLSFiles: Equatable {
    /// The file of the certificate.
    package var certificate: String?
    /// The file of the private key of `certificate`.
    package var key: String?
    /// The file with the certificate of the authority that signs the certificates of the other ends.
    package var authority: String?

    package init() {}
}
