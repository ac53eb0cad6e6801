package import Cluster
import GameFlow
package import HTTP
package import RPC
package import Sessions

/// The parameters of `GET /v1/events`, which begins a stream of Server-Sent Events.
package struct StreamRequest {
    package let target: WatchTarget
    /// The kinds of notifications in the stream.
    package let topics: Topics
    /// The id of the last event that the client has received; nil for a new stream.
    package let since: String?
    /// Whether the stream shows only what players may see, whatever the rights of the client.
    package let isPlayersView: Bool
    /// Whether the client is the wall of the session, on which sounds and videos are played.
    package let isWall: Bool

    private static let parameters = ["session", "topics", "since", "view", "screen"]

    /// Throws 400 if the query has unknown parameters or invalid values. `since` is not checked here. `takesToken` says whether the
    /// query may have a token, which is evaluated elsewhere.
    package init(_ request: RequestHead, takesToken: Bool = false) throws(WebError) {
        guard let query = request.query else {
            throw WebError(.badRequest, why: "the query cannot be read")
        }
        if let unknown = query.keys.sorted().first(where: {
            !Self.parameters.contains($0) && !(takesToken && $0 == "token")
        }) {
            throw WebError(
                .badRequest,
                why:
                    "\(unknown.prefix(64)): unknown; expected \(Self.parameters.joined(separator: ", "))"
            )
        }
        if let view = query["view"], view != "players" {
            throw WebError(.badRequest, why: "view: expected players")
        }
        isPlayersView = query["view"] != nil
        if let screen = query["screen"], screen != "wall" {
            throw WebError(.badRequest, why: "screen: expected wall")
        }
        isWall = query["screen"] != nil
        switch query["session"] {
        case nil: target = .session(.main)
        case "*"?: target = .all
        case let name?:
            guard let session = SessionName(name) else {
                throw WebError(
                    .badRequest, why: "session: expected 1 to 64 of A-Z a-z 0-9 . _ -, or *")
            }
            target = .session(session)
        }
        let names = query["topics"]?.split(separator: ",").map(String.init)
        do throws(TopicsError) {
            topics = if let names { try Topics(names: names) } else { .changes }
        } catch { throw WebError(.badRequest, why: "topics: \(error.why)") }
        if topics.contains(.inputs), target != .all {
            throw WebError(.badRequest, why: "topics: inputs can be watched only with session=*")
        }
        // A browser that reconnects sends the newest id in the header, and repeats the query of its first request.
        since = request.header("Last-Event-ID") ?? query["since"]
    }

    /// The right that a client with these rights lacks for the stream; nil if it may have the stream.
    package func missingRight(_ clientRights: Rights) -> String? {
        rights(clientRights).missingRight(toWatch: target, topics)
    }

    /// Returns the rights of the stream. In the players' view, nobody has more rights than a player.
    func rights(_ rights: Rights) -> Rights {
        isPlayersView ? rights.limitedToPlaying : rights
    }
}

extension Rights {
    /// These rights without those that a player does not have.
    var limitedToPlaying: Rights {
        Rights(
            grants.map { grant in
                Grant(
                    min(grant.role, .play), session: grant.session, event: grant.event,
                    boundArguments: grant.boundArguments, allowsGET: grant.allowsGET,
                    longestAge: grant.longestAge,
                    coversHiddenEvents: grant.coversHiddenEvents)
            })
    }
}

/// Where a stream begins.
package enum StreamStart {
    /// With the present state.
    case present
    /// After the change with this `pos`.
    case after(Int)
    /// After the cursor's position in each shard.
    case afterAll(ClusterCursor)
}

/// The id of a Server-Sent Event: `instance:pos`. In a stream of all sessions of several nodes it is `instance:cursor`, because
/// each shard counts its changes separately.
package enum EventID {
    package static func text(_ instance: String, _ pos: Int) -> String { "\(instance):\(pos)" }

    package static func text(_ instance: String, _ cursor: ClusterCursor) -> String {
        "\(instance):\(cursor.text)"
    }

    /// The start of a stream of all sessions of several nodes. `id` is the id of the last event that the client has received.
    /// The start is `present` if the id belongs to another instance or to a stream of one session. Throws if the id has this
    /// instance and an invalid position.
    static func startOfAllSessions(
        _ id: String, of instance: String
    ) throws(EventIDError) -> StreamStart {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] == instance, let cursor = ClusterCursor(String(parts[1])) {
            return .afterAll(cursor)
        }
        _ = try position(id, of: instance)
        return .present
    }

    /// Returns the position in an id of this instance. Returns nil for an id of another instance and for any other text: the
    /// stream then begins with the present state. Throws if the id has this instance, but its other part is not an integer from
    /// 0 to `Value.largest`: 2^53 − 1, the largest integer that every client can represent exactly.
    package static func position(_ id: String, of instance: String) throws(EventIDError) -> Int? {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == instance else { return nil }
        guard let pos = Int(parts[1]), 0...Value.largest ~= pos else { throw EventIDError() }
        return pos
    }
}

/// Thrown for an id of this instance with an invalid position.
package struct EventIDError: Error, Equatable {
    package init() {}
}
