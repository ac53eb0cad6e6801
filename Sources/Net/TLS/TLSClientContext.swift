internal import COpenSSL
public import Support

/// The settings that several TLS connections to servers share: the trusted certificate authorities, and the client's own
/// certificate. Versions of TLS before 1.2 are refused.
public final class TLSClientContext {
    private let context: OpaquePointer

    /// Trusts the certificate authorities in the PEM file `file`. If `file` is nil, trusts the authorities of the system. The
    /// client has no certificate. Wraps `SSL_CTX_new(3)`.
    public init(authorities file: String?) throws(TLSClientError) {
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw TLSClientError(why: "no TLS context")
        }
        self.context = context
        guard openssl_set_oldest(context, Int32(TLS1_2_VERSION)) == 1 else {
            throw TLSClientError(why: "TLS 1.2 is not available")
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let isLoaded =
            file.map { SSL_CTX_load_verify_locations(context, $0, nil) == 1 }
            ?? (SSL_CTX_set_default_verify_paths(context) == 1)
        ERR_clear_error()
        guard isLoaded else {
            throw TLSClientError(why: "\(file ?? "system"): no certificates of authorities in PEM")
        }
    }

    /// Trusts the authorities of the PEM file `file`. Presents the certificate of the PEM file `certificate`, which contains
    /// also the certificate's chain; `key` is the PEM file of its private key. Requests an application protocol (ALPN) from
    /// the server; the protocol's name has at most 255 bytes.
    public convenience init(
        authorities file: String, certificate: String, key: String, applicationProtocol: String
    ) throws(TLSClientError) {
        try self.init(authorities: file)
        let isLoaded =
            SSL_CTX_use_certificate_chain_file(context, certificate) == 1
            && SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
            && SSL_CTX_check_private_key(context) == 1
        ERR_clear_error()
        guard isLoaded else {
            throw TLSClientError(why: "\(certificate), \(key): no certificate in PEM with its key")
        }
        let name = Array(applicationProtocol.utf8)
        // The list of names, here one name: a byte with the length of the name, and then the name.
        let list = [UInt8(clamping: name.count)] + name
        // Unlike other functions of OpenSSL, `SSL_CTX_set_alpn_protos` returns 0 on success.
        guard SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) == 0 else {
            throw TLSClientError(why: "\(applicationProtocol): the protocol's name cannot be set")
        }
    }

    deinit { SSL_CTX_free(context) }

    /// The TLS state of a connection to a host, which the caller frees with `SSL_free`; nil if there is not enough memory.
    /// The server's certificate must contain the host's name or numeric address. If `host` is nil, any certificate that
    /// a trusted authority issued is accepted.
    public func connection(to host: String?) -> OpaquePointer? {
        guard let ssl = SSL_new(context) else { return nil }
        SSL_set_connect_state(ssl)
        guard let host else { return ssl }
        // A numeric address is compared with the certificate's addresses, and is not sent as a name.
        let isNumeric = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        if !isNumeric {
            guard SSL_set1_host(ssl, host) == 1, openssl_set_server_name(ssl, host) == 1 else {
                SSL_free(ssl)
                return nil
            }
        }
        return ssl
    }

    /// The reason why the server's certificate was not accepted; nil if it was accepted. `ssl` is a result of `connection`.
    public static func certificateError(_ ssl: OpaquePointer) -> String? {
        let result = SSL_get_verify_result(ssl)
        guard result != Int(X509_V_OK) else { return nil }
        return "the certificate is not accepted: "
            + String(cString: X509_verify_cert_error_string(result))
    }
}

/// The reason why a TLS connection is not possible.
public struct TLSClientError: DescribedError, Equatable {
    public let why: String
}
