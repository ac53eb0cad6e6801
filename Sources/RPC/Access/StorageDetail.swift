public import Sessions

/// The reason of a failure of the store can name a path, or the address of a database server. Only operators get it.
extension RequestError {
    /// The sentence that replaces the reason of an outage of the store.
    public static let storageFailed = "the storage does not work at present"
    /// The sentence that replaces the reason of an error. The cause can be an outage, or a damaged session.
    private static let storageRefused =
        "the storage cannot serve this request; the log has the reason"

    /// The error as a caller with these rights gets it.
    public func shown(to rights: Rights) -> RequestError {
        guard case .storage(_, let outcome) = self, !rights.has(.operate) else { return self }
        return .storage(why: Self.storageRefused, outcome: outcome)
    }
}

extension CallError {
    /// The error as a caller with these rights gets it.
    func shown(to rights: Rights) -> CallError {
        guard case .refused(let error) = self else { return self }
        return .refused(error.shown(to: rights))
    }
}
