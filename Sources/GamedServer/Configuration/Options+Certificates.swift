import Net

extension Options {
    /// The files with the certificates that clients and other nodes see. The first certificate of each file is this daemon's.
    var ownCertificateFiles: [String] { [certificate, nodeCertificate].compactMap { $0 } }
    /// The files with the certificates of authorities.
    var authorityCertificateFiles: [String] { [clientAuthority, nodeAuthority].compactMap { $0 } }
}
