import COpenSSL

/// Reads the names in a certificate. A certificate is an `X509` object of OpenSSL.
enum CertificateNames {
    /// The common name, as text; nil if there is none or there are several. A certificate can use another encoding than UTF-8,
    /// so the name is converted: otherwise its bytes would be read as another name. Wraps ASN1_STRING_to_UTF8(3).
    static func common(of certificate: OpaquePointer) -> String? {
        var length: Int32 = 0
        guard let text = openssl_common_name(certificate, &length) else { return nil }
        defer { openssl_free(text) }
        return String(
            validating: UnsafeBufferPointer(start: text, count: Int(length)), as: UTF8.self)
    }

    /// The common name in the certificate that the client of a connection presented. Nil if the client presented no
    /// certificate, or an invalid certificate. `tls` is the connection's `SSL` object.
    static func verified(_ tls: OpaquePointer) -> String? {
        guard let certificate = SSL_get0_peer_certificate(tls),
            SSL_get_verify_result(tls) == Int(X509_V_OK)
        else { return nil }
        return common(of: certificate)
    }

    /// The hosts and addresses in the extension `subjectAltName`. Wraps the macros of
    /// GENERAL_NAME(3).
    static func alternatives(of certificate: OpaquePointer) -> [String] {
        var names: [String] = []
        withUnsafeMutablePointer(to: &names) { names in
            openssl_each_name(
                certificate,
                // C calls this closure, so it cannot capture variables. It receives `names` as its last argument.
                { name, length, names in
                    let bytes = UnsafeBufferPointer(start: name, count: Int(length))
                    names!.assumingMemoryBound(to: [String].self).pointee.append(
                        String(decoding: bytes, as: UTF8.self))
                }, names)
        }
        return names
    }
}
