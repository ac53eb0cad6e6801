public import Sessions

extension RequestError {
    /// The code of the JSON-RPC error: the number that stands for it in journals, too.
    public var code: Int { number }
}
