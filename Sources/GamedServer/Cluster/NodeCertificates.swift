import COpenSSL
import TLSClient

/// The certificates by which nodes recognize each other, of an authority that signs those of
/// nodes alone.
///
/// Nodes connect to an address at which clients connect too. A node asks there for the application protocol
/// `gamed-node`; only then the daemon shows its certificate for nodes, and requires one of the nodes' authority. The
/// authority of the clients is not trusted in such a handshake, and no TLS session of a client is resumed in it.
final class NodeCertificates {
    /// The files that the options name.
    struct Files: Equatable {
        let authority: String
        let certificate: String
        let key: String
    }

    static let applicationProtocol = "gamed-node"

    private let files: Files
    /// The context that accepts connections of other nodes.
    private var server: OpaquePointer
    /// The context that connects to other nodes.
    private(set) var client: TLSClientContext

    /// Reads the files. Throws if one of them cannot be used, or if the authority has not signed the certificate.
    init(_ files: Files) throws(TLSContext.CertificateError) {
        self.files = files
        (server, client) = try Self.read(files)
    }

    deinit { SSL_CTX_free(server) }

    /// Reads the files again, for later connections; the old ones stay in use if the new ones are invalid.
    func readAgain() throws(TLSContext.CertificateError) {
        let (server, client) = try Self.read(files)
        SSL_CTX_free(self.server)
        (self.server, self.client) = (server, client)
    }

    private static func read(_ files: Files) throws(TLSContext.CertificateError) -> (
        server: OpaquePointer, client: TLSClientContext
    ) {
        let server = try TLSContext.read(files.certificate, files.key, files.authority)
        do throws(TLSContext.CertificateError) {
            try check(server, files)
            do throws(TLSClientError) {
                let client = try TLSClientContext(
                    authorities: files.authority, certificate: files.certificate, key: files.key,
                    applicationProtocol: applicationProtocol)
                return (server, client)
            } catch { throw TLSContext.CertificateError(why: error.why) }
        } catch {
            SSL_CTX_free(server)
            throw error
        }
    }

    /// Throws unless other nodes would accept the certificate, in both directions.
    private static func check(_ context: OpaquePointer, _ files: Files)
        throws(TLSContext.CertificateError)
    {
        for purpose in [X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT] {
            let result = openssl_own_verification(context, purpose)
            guard result != X509_V_OK else { continue }
            let why = String(cString: X509_verify_cert_error_string(Int(result)))
            throw TLSContext.CertificateError(
                why:
                    "\(files.certificate): other nodes would not accept it: \(why); --node-cert and "
                    + "--node-key name a certificate for TLS servers and clients that --node-ca "
                    + "\(files.authority) has signed")
        }
    }

    // MARK: handshakes

    /// Makes the daemon's TLS accept nodes beside clients. The certificates must exist as long as the context.
    /// Wraps SSL_CTX_set_client_hello_cb(3).
    func serve(beside context: OpaquePointer) {
        SSL_CTX_set_client_hello_cb(
            context,
            { ssl, _, me in
                if let ssl, let me, NodeCertificates.isNode(ssl) {
                    Unmanaged<NodeCertificates>.fromOpaque(me).takeUnretainedValue().take(ssl)
                }
                return SSL_CLIENT_HELLO_SUCCESS
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether the first message of a handshake asks for the protocol of nodes, and for no other.
    private static func isNode(_ ssl: OpaquePointer) -> Bool {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let kind = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
        guard SSL_client_hello_get0_ext(ssl, kind, &bytes, &count) == 1, let bytes else {
            return false
        }
        let name = Array(applicationProtocol.utf8)
        let length = UInt8(name.count)
        return UnsafeBufferPointer(start: bytes, count: count)
            .elementsEqual([0, length + 1, length] + name)
    }

    /// Continues a handshake as that of a node.
    private func take(_ ssl: OpaquePointer) {
        SSL_set_SSL_CTX(ssl, server)
        SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // A session of a client, which showed another certificate or none, is not resumed.
        let name = Array(Self.applicationProtocol.utf8)
        SSL_set_session_id_context(ssl, name, UInt32(name.count))
        SSL_set_num_tickets(ssl, 0)
    }

    /// Why a complete or failed handshake of a node proves nothing; nil if it proves that the other end is a node.
    static func refusal(_ ssl: OpaquePointer) -> String? {
        let result = SSL_get_verify_result(ssl)
        guard result == Int(X509_V_OK) else {
            return "its certificate is not accepted: "
                + String(cString: X509_verify_cert_error_string(result))
        }
        guard SSL_get0_peer_certificate(ssl) != nil else { return "it shows no certificate" }
        guard SSL_session_reused(ssl) == 0, SSL_is_init_finished(ssl) != 0 else {
            return "the handshake is not complete"
        }
        return nil
    }
}
