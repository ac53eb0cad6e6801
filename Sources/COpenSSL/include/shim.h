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

// Wrappers for macros of OpenSSL, and for code that needs these macros. Swift does not import the macros.

/// Sets the oldest version of TLS that is accepted; returns 1 on success. Wraps SSL_CTX_set_min_proto_version(3).
static inline int openssl_set_oldest(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

/// Sets the options and the mode of a server's context, such as no compression and no renegotiation. An end of the connection
/// without the closing message of TLS is an end of input: lines and HTTP messages show by themselves whether they are complete.
/// Wraps SSL_CTX_set_options(3) and SSL_CTX_set_mode(3).
static inline void openssl_set_strict(SSL_CTX *context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE
                     | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/// The certificates between the context's own certificate and its authority. Wraps SSL_CTX_get0_chain_certs(3).
static inline STACK_OF(X509) *openssl_chain(SSL_CTX *context) {
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(context, &chain);
    return chain;
}

/// Checks a context's own certificate against the authorities that the context trusts, for a purpose such as
/// X509_PURPOSE_SSL_SERVER. Returns X509_V_OK, or the X509_V_ERR code of the reason. Wraps X509_verify_cert(3).
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

/// Sets the server name that a client requests; returns 1 on success. Wraps SSL_set_tlsext_host_name(3).
static inline int openssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

/// The common name of a certificate as UTF-8, with its length in `*length`; NULL if the certificate has none or several.
/// The text may contain zero bytes. The caller frees it with `openssl_free`.
static inline unsigned char *openssl_common_name(X509 *certificate, int *length) {
    X509_NAME *subject = X509_get_subject_name(certificate);
    int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    if (index < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, index) >= 0) return NULL;
    unsigned char *text = NULL;
    *length = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
    return *length < 0 ? NULL : text;
}

/// Wraps OPENSSL_free(3).
static inline void openssl_free(void *memory) { OPENSSL_free(memory); }

/// Calls `take` with each DNS name and each IP address of a certificate's subjectAltName. An address is passed as text.
/// The text has `length` bytes and no terminating zero byte. OpenSSL's functions for these lists are macros.
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
