import COpenSSL
import Glibc
import Support

/// The TLS configuration for network clients: the daemon's certificate and key, and the authority for client certificates.
/// `Listeners` owns one for the addresses of `--listen`, and one for the addresses of `--http`.
package final class TLSContext {
    /// The reason why TLS is not possible, as a message for an operator.
    package struct CertificateError: DescribedError {
        package let why: String
    }

    /// The path of the PEM file with the daemon's certificate and its chain.
    private let certificate: String
    /// The path of the PEM file with the private key of the certificate.
    private let key: String
    /// The path of the PEM file with the authority for client certificates; nil if clients are not asked for certificates.
    private let clientAuthority: String?
    /// The certificates for connections of other nodes; nil if other nodes do not connect here.
    private let nodeCertificates: NodeCertificates?
    /// The `SSL_CTX` of OpenSSL.
    private var context: OpaquePointer
    /// The names in the certificate, in lower case.
    package private(set) var names: [String]

    /// Reads the files. A client need not present a certificate; a certificate that is presented must be valid. With
    /// `nodeCertificates`, connections of other nodes are accepted too.
    package init(
        certificate: String, key: String, clientAuthority: String?,
        nodeCertificates: NodeCertificates? = nil
    ) throws(CertificateError) {
        (self.certificate, self.key) = (certificate, key)
        (self.clientAuthority, self.nodeCertificates) = (clientAuthority, nodeCertificates)
        context = try Self.makeContext(certificate, key, clientAuthority)
        names = Self.names(of: context)
        nodeCertificates?.acceptNodes(in: context)
    }

    deinit { SSL_CTX_free(context) }

    /// Reads the files again, for later connections. If a file is invalid, throws, and the old certificates stay in use.
    package func readAgain() throws(CertificateError) {
        let newContext = try Self.makeContext(certificate, key, clientAuthority)
        SSL_CTX_free(context)
        context = newContext
        names = Self.names(of: context)
        nodeCertificates?.acceptNodes(in: context)
    }

    /// Makes an `SSL` object for one connection; nil without memory. The caller must free the object, or pass it to a
    /// bufferevent that frees it. The object keeps the present certificates, even after `readAgain`.
    func makeSSL() -> OpaquePointer? { SSL_new(context) }

    /// Makes an `SSL_CTX` of a server for TLS 1.2 or newer without compression and renegotiation, from the files at three
    /// paths. The caller must free it. Wraps SSL_CTX_new(3).
    static func makeContext(_ certificate: String, _ key: String, _ authority: String?)
        throws(CertificateError) -> OpaquePointer
    {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw unavailable() }
        var isComplete = false
        defer { if !isComplete { SSL_CTX_free(context) } }
        guard openssl_set_oldest(context, TLS1_2_VERSION) == 1 else { throw unavailable() }
        openssl_set_strict(context)
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw failed(certificate)
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw failed(key) }
        if let authority {
            guard SSL_CTX_load_verify_locations(context, authority, nil) == 1 else {
                throw failed(authority)
            }
            SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(authority))
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
            // When client certificates are verified, OpenSSL resumes a TLS session only with a context that has the same id.
            let id = Array("gamed".utf8)
            SSL_CTX_set_session_id_context(context, id, UInt32(id.count))
        }
        isComplete = true
        return context
    }

    /// The error if OpenSSL does not provide TLS 1.2, with OpenSSL's reason.
    private static func unavailable() -> CertificateError {
        let why = ERR_reason_error_string(ERR_get_error()).map { String(cString: $0) }
        return CertificateError(why: "OpenSSL does not provide TLS 1.2 (\(why ?? "no reason"))")
    }

    /// The error about the file at a path, with OpenSSL's reason. Wraps ERR_get_error(3).
    private static func failed(_ path: String) -> CertificateError {
        let error = ERR_get_error()
        ERR_clear_error()
        if access(path, R_OK) != 0 {
            return CertificateError(why: "\(path): \(String(cString: strerror(errno)))")
        }
        let why = ERR_reason_error_string(error).map { String(cString: $0) } ?? "cannot be read"
        return CertificateError(why: "\(path): not a PEM file of the expected kind (\(why))")
    }

    // MARK: names

    /// The names in the certificate of a context, in lower case: the alternative names, or the common name if there is no
    /// alternative name.
    private static func names(of context: OpaquePointer) -> [String] {
        guard let certificate = SSL_CTX_get0_certificate(context) else { return [] }
        let alternatives = CertificateNames.alternatives(of: certificate)
        if !alternatives.isEmpty { return alternatives.map { $0.lowercased() } }
        return CertificateNames.common(of: certificate).map { [$0.lowercased()] } ?? []
    }
}
