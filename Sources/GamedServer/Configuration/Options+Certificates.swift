import Cluster
import Net
import Parts

extension Options {
    /// The files with the certificates that clients and other nodes see. The first certificate of each file is this daemon's.
    var ownCertificateFiles: [String] {
        [network.tls.certificate, node.tls.certificate].compactMap { $0 }
    }
    /// The files with the certificates of authorities.
    var authorityCertificateFiles: [String] {
        [network.tls.authority, node.tls.authority].compactMap { $0 }
    }
}
