package import Sessions

/// Knows which sessions are in different shards.
package protocol SessionPlacement {
    /// The shard of the session `to`; nil if the session `from` is in the same shard.
    func shardIfDifferent(_ from: SessionName, _ to: SessionName) -> Int?
}

/// The placement of a daemon that has all sessions: they are in the same shard.
package struct OneShard: SessionPlacement {
    package init() {}

    package func shardIfDifferent(_ from: SessionName, _ to: SessionName) -> Int? { nil }
}

extension NodeRequests: SessionPlacement {}
