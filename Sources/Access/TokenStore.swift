/// Tokens that several daemons share. All calls are on the loop's thread.
package protocol TokenStore: AnyObject {
    /// The tokens as they were read most recently.
    var tokens: TokenFile { get }
    /// Called with the tokens when another daemon has changed them.
    var changed: (TokenFile) -> Void { get set }
    /// Changes the tokens with `body`, which can be called several times: again after each change that another daemon has made
    /// meanwhile. Then calls `done` with the result of `body` and all tokens, or with the error.
    func change<Value>(
        _ body: @escaping (inout TokenFile) throws(TokenFile.TokenError) -> Value,
        _ done: @escaping (Result<(Value, TokenFile), TokenFile.TokenError>) -> Void)
}
