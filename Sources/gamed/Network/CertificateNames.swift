import COpenSSL

/// Whom a certificate is for.
enum CertificateNames {
    /// Its common name, if it has one. Wraps ASN1_STRING_to_UTF8(3): what reads `anna` in one way of writing may be
    /// something else in another.
    static func common(of certificate: OpaquePointer) -> String? {
        var length: Int32 = 0
        guard let text = openssl_common_name(certificate, &length) else { return nil }
        defer { openssl_free(text) }
        return String(
            validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }

    /// Of the client at the other end of a connection of TLS, if it showed one that was found good.
    static func verified(_ tls: OpaquePointer) -> String? {
        guard let certificate = SSL_get0_peer_certificate(tls),
            SSL_get_verify_result(tls) == Int(X509_V_OK)
        else { return nil }
        return common(of: certificate)
    }

    /// The hosts and addresses of its extension `subjectAltName`. Wraps the macros of GENERAL_NAME(3).
    static func alternatives(of certificate: OpaquePointer) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            openssl_each_name(
                certificate,
                { name, length, names in
                    let bytes = UnsafeBufferPointer(start: name, count: Int(length))
                    names!.assumingMemoryBound(to: [String].self).pointee.append(
                        String(decoding: bytes, as: UTF8.self))
                }, names)
        }
        return names
    }
}
