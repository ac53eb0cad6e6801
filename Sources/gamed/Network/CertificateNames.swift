import COpenSSL

/// Whom a certificate is for.
enum CertificateNames {
    /// Its common name. Wraps X509_NAME_get_text_by_NID(3).
    static func common(of certificate: OpaquePointer) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let subject = X509_get_subject_name(certificate)
        let length = X509_NAME_get_text_by_NID(subject, NID_commonName, &text, Int32(text.count))
        guard length > 0 else { return nil }
        return String(
            decoding: text.prefix(Int(length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
