import HTTP

/// The identity of an HTTP client, and its credentials.
struct WebIdentity {
    let visitor: Identity
    /// Whether it presented a valid token or certificate.
    let hasCredential: Bool
    /// Whether it presented an invalid token in the `Authorization` header. An invalid cookie only
    /// has no effect.
    let isWrong: Bool
    /// The cookie in which the client's page stores its token; nil if the page's name is invalid.
    let cookie: WebCookie?
    /// The bucket that limits the client's requests.
    let bucket: RateLimiter.TokenBucket
}
