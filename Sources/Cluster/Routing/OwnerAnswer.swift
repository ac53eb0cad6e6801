import RPC

/// What became of a request about all sessions that was sent to an owner.
enum OwnerAnswer {
    /// The owner's sessions. `positions` says up to where they show the changes of its shards; nil if the request was no watch.
    case page(RelayedPage, positions: ClusterCursor?)
    case error(RelayedError)
    /// The connection to the owner was lost after the request was sent.
    case lost
    case notSent

    init(_ outcome: OwnerRoute.Outcome, of owner: ShardRouter.Owner) {
        switch outcome {
        case .reply(.result(let bytes)):
            let page = RelayedPage(bytes)
            self = .page(page, positions: page.positions(of: owner.shard))
        case .reply(.error(let error)): self = .error(error)
        case .lost: self = .lost
        case .notSent: self = .notSent
        }
    }
}
