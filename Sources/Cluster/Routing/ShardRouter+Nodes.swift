import EventLoop
package import GameFlow
import JSONCoding
import Journal
import PostgresStore
import RPC
package import Sessions
import Timers

/// The nodes that share the store, for the method `nodes`.
extension ShardRouter: StoreNodes {
    package func nodes() -> [Member] {
        let now = loop.timerQueue.now
        // While the database cannot be read, the leases run out nevertheless.
        let mapAgeMs = Int((now - shardMapInstant).milliseconds)
        let digests = Set(shardMap.nodes.filter(\.isAlive).map(\.description.configurationDigest))
        let nodes = shardMap.nodes.filter(\.isAlive).map { node -> Value in
            let ownedShards = shards(of: node.identity)
            return .object([
                Member("node", node.description.name), Member("id", node.identity),
                Member("address", node.description.address),
                Member("self", .bool(node.identity == leases.identity)),
                Member("shards", ownedShards.count),
                Member("leaseMs", node.leaseMs - mapAgeMs),
                Member("rules", node.description.configurationDigest),
                Member("build", node.description.build),
                Member("format", Int(StoreCodec.format(of: node.description.codec).rawValue)),
            ])
        }
        let recentMoves = moves.recent.map { move -> Value in
            .object([
                Member("shard", move.shard), Member("from", name(ofNode: move.from)),
                Member("to", name(ofNode: move.to)),
                Member("agoMs", Int((now - move.at).milliseconds)),
            ])
        }
        return [
            Member("nodes", .array(nodes)), Member("shards", shardCount),
            Member("missing", unservedShardCount),
            Member("skewMs", Int(leases.skew.milliseconds)),
            Member("differ", .bool(digests.count > 1)), Member("moves", .array(recentMoves)),
            Member("format", Int(formatSwitch.format.rawValue)),
            Member(
                "older",
                .array(
                    formatSwitch.format == .newest
                        ? [] : formatSwitch.olderNodes.map { .string($0) })),
            Member("weak", .array(storeWeaknesses.map { .string($0) })),
        ]
    }

    package func switchNodes(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        leases.switchCodec { [weak self] result in
            guard let self else {
                return done(.failure(.storage(why: "the daemon ends", outcome: .unknown)))
            }
            done(result.map { nodes() }.mapError { formatSwitch.error(of: $0) })
        }
    }
}
