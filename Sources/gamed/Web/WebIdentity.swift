import HTTP

/// Whoever asks over HTTP, and what he has shown.
struct WebIdentity {
    let visitor: Identity
    /// Whether he has shown a token or a certificate that is good.
    let hasCredential: Bool
    /// Whether he has shown a token that is none, and said that it is one. Of a cookie that is no longer good only
    /// its rights are gone.
    let isWrong: Bool
    /// The cookie that his page keeps its token in; nil where what names the page is no name.
    let cookie: WebCookie?
    /// What he has left of his requests.
    let bucket: RateLimiter.TokenBucket
}
