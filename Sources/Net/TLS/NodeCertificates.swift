import COpenSSL

/// The certificates by which nodes recognize each other. Their authority signs certificates of nodes only.
///
/// Nodes connect to an address to which clients connect too. In its TLS handshake, a node requests the application protocol
/// `gamed-node` (ALPN). Only then does the daemon present its certificate for nodes and require a certificate from the
/// nodes' authority. In such a handshake, the clients' authority is not trusted and no client's TLS session is resumed.
package final class NodeCertificates {
    /// The paths of the files of `--node-ca`, `--node-cert` and `--node-key`, all in PEM format.
    package struct Files: Equatable {
        let authority, certificate, key: String

        package init(authority: String, certificate: String, key: String) {
            (self.authority, self.certificate, self.key) = (authority, certificate, key)
        }
    }

    /// The name of the nodes' protocol in ALPN.
    private static let applicationProtocol = "gamed-node"

    private let files: Files
    /// The TLS context for connections that other nodes make.
    private var serverContext: OpaquePointer
    /// The TLS context for connections to other nodes.
    package private(set) var clientContext: TLSClientContext

    /// Reads the files. Throws if one of them cannot be used, or if the authority has not signed the certificate.
    package init(_ files: Files) throws(TLSContext.CertificateError) {
        self.files = files
        (serverContext, clientContext) = try Self.read(files)
    }

    deinit { SSL_CTX_free(serverContext) }

    /// Reads the files again, for later connections. If a file is invalid, throws, and the old certificates stay in use.
    package func readAgain() throws(TLSContext.CertificateError) {
        let (server, client) = try Self.read(files)
        SSL_CTX_free(self.serverContext)
        (self.serverContext, self.clientContext) = (server, client)
    }

    private static func read(_ files: Files) throws(TLSContext.CertificateError) -> (
        server: OpaquePointer, client: TLSClientContext
    ) {
        let server = try TLSContext.makeContext(files.certificate, files.key, files.authority)
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

    /// Throws if other nodes would not accept this node's certificate. The certificate must be valid both for a TLS server and
    /// for a TLS client. `openssl_own_verification` verifies the context's certificate as another node would verify it.
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

    /// Changes the TLS context that accepts clients, so that it accepts nodes too. This object must exist as long as the
    /// context. Wraps SSL_CTX_set_client_hello_cb(3).
    func acceptNodes(in context: OpaquePointer) {
        SSL_CTX_set_client_hello_cb(
            context,
            { ssl, _, object in
                if let ssl, let object, NodeCertificates.isNode(ssl) {
                    Unmanaged<NodeCertificates>.fromOpaque(object).takeUnretainedValue()
                        .continueAsNode(ssl)
                }
                return SSL_CLIENT_HELLO_SUCCESS
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether the first message of a handshake asks for the protocol of nodes, and for no other.
    private static func isNode(_ ssl: OpaquePointer) -> Bool {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let extensionType = UInt32(TLSEXT_TYPE_application_layer_protocol_negotiation)
        guard SSL_client_hello_get0_ext(ssl, extensionType, &bytes, &count) == 1, let bytes
        else { return false }
        let name = Array(applicationProtocol.utf8)
        let length = UInt8(name.count)
        // The length of the list of protocols in two bytes, the length of the only name, and the name.
        return UnsafeBufferPointer(start: bytes, count: count)
            .elementsEqual([0, length + 1, length] + name)
    }

    /// Continues a handshake with the certificate and the authority of nodes.
    private func continueAsNode(_ ssl: OpaquePointer) {
        SSL_set_SSL_CTX(ssl, serverContext)
        SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        // A client's TLS session must not be resumed, because the client has not presented a node's certificate. A
        // session is resumed only in the session id context in which it began. Nodes get no tickets to resume sessions.
        let name = Array(Self.applicationProtocol.utf8)
        SSL_set_session_id_context(ssl, name, UInt32(name.count))
        SSL_set_num_tickets(ssl, 0)
    }

    /// The reason why a handshake does not prove that the other end is a node. Nil if the handshake proves that the other end
    /// is a node. The handshake may be complete, or may have failed.
    static func refusal(_ ssl: OpaquePointer) -> String? {
        let result = SSL_get_verify_result(ssl)
        guard result == Int(X509_V_OK) else {
            return "its certificate is not accepted: "
                + String(cString: X509_verify_cert_error_string(result))
        }
        guard SSL_get0_peer_certificate(ssl) != nil else { return "it shows no certificate" }
        guard SSL_session_reused(ssl) == 0 else {
            return "it resumes a TLS session, and does not show its certificate again"
        }
        guard SSL_is_init_finished(ssl) != 0 else { return "the handshake is not complete" }
        return nil
    }
}
