#ifndef GAMED_COPENSSL_SHIM_H
#define GAMED_COPENSSL_SHIM_H

#include <arpa/inet.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What are macros, which Swift does not see.

/// Wraps SSL_CTX_set_min_proto_version(3).
static inline int openssl_set_oldest(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

/// Wraps SSL_CTX_set_options(3) for what a server should not offer.
static inline void openssl_set_strict(SSL_CTX *context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// Wraps SSL_CTX_get0_chain_certs(3).
static inline STACK_OF(X509) *openssl_chain(SSL_CTX *context) {
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(context, &chain);
    return chain;
}

/// Why the certificate of a context is not accepted for a purpose by the context's own authorities, as an X509_V_ERR
/// code; X509_V_OK if it is. Wraps X509_verify_cert(3).
static inline int openssl_own_verification(SSL_CTX *context, int purpose) {
    X509_STORE_CTX *check = X509_STORE_CTX_new();
    if (!check) return X509_V_ERR_OUT_OF_MEM;
    int result = X509_V_ERR_UNSPECIFIED;
    if (X509_STORE_CTX_init(
            check, SSL_CTX_get_cert_store(context), SSL_CTX_get0_certificate(context), openssl_chain(context))
        && X509_STORE_CTX_set_purpose(check, purpose)) {
        X509_verify_cert(check);
        result = X509_STORE_CTX_get_error(check);
    }
    X509_STORE_CTX_free(check);
    return result;
}

/// Wraps SSL_set_tlsext_host_name(3).
static inline int openssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

/// A certificate's one common name as UTF-8, which OPENSSL_free gives back; null where there is none, or several. Its
/// length is in `length`: nothing ends it.
static inline unsigned char *openssl_common_name(X509 *certificate, int *length) {
    X509_NAME *subject = X509_get_subject_name(certificate);
    int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (place < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, place) >= 0) return NULL;
    unsigned char *text = NULL;
    *length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place)));
    return *length < 0 ? NULL : text;
}

/// Wraps OPENSSL_free(3).
static inline void openssl_free(void *memory) { OPENSSL_free(memory); }

/// Calls `take` with each DNS name and each address, as text, of a certificate's subjectAltName: the stacks that
/// hold them are macros.
static inline void openssl_each_name(
    X509 *certificate, void (*take)(const unsigned char *name, int length, void *context), void *context) {
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    if (!names) return;
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
        if (name->type == GEN_DNS) {
            take(ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName), context);
        } else if (name->type == GEN_IPADD) {
            char text[64] = "";
            int length = ASN1_STRING_length(name->d.iPAddress);
            inet_ntop(length == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text);
            if (length == 4 || length == 16) take((const unsigned char *)text, (int)strlen(text), context);
        }
    }
    GENERAL_NAMES_free(names);
}

#endif
