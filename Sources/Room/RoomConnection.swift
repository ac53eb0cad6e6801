package import GameFlow
package import Inputs
import Parts
import Sessions
import Support
package import Timers

/// A connection to devices of the room, and the counts of its inputs. A line of the configuration names each connection.
/// `RoomConnections` creates the connections, and `RoomSource` converts their inputs to events.
package class RoomConnection {
    package let line: ConnectionLine
    /// Opens the connection, and opens it again after a failure.
    let inputConnection: any InputConnection
    /// Called with each input, in the order of arrival.
    package var onInput: (any RoomInput) -> Void = { _ in }
    /// Called when the other end has refused filters of `subscribe`, or refuses none any more, with those that it refuses.
    var onRefusal: (_ filters: [String]) -> Void = { _ in }
    package var statistics = InputStatistics()
    /// A cache of the source of each peer. The cache is emptied when it has `sourceLimit` entries, because devices can use any
    /// number of topics or addresses.
    private var sources: [ByteText: Source] = [:]
    private static let sourceLimit = 1024

    /// `inputConnection` passes its inputs to `onInput`.
    package init(_ line: ConnectionLine, _ inputConnection: any InputConnection) {
        (self.line, self.inputConnection) = (line, inputConnection)
    }

    // MARK: for kinds that need it

    /// Asks the other end for the inputs that the patterns match, and for those that the filters of another part select. Most
    /// kinds of connections get all inputs unasked.
    func subscribe(for patterns: [any InputPattern], and filters: [String]) {}

    /// Where an input comes from that gamed itself has sent out a short time ago; nil for other inputs.
    package func origin(of input: any RoomInput) -> InputOrigin? { nil }

    /// Whether an input that no `map` line matches is for another part.
    package func isExpected(_ input: any RoomInput) -> Bool { false }

    /// What `value` has beside the members of all kinds.
    var deviceMembers: [Member] { [] }

    // MARK: sources

    /// The source of the events of a peer.
    package func source(_ peer: String) -> Source {
        let key = ByteText(peer)
        if let knownSource = sources[key] { return knownSource }
        if sources.count >= Self.sourceLimit { sources = [:] }
        let newSource = Source(line.sourceKind, peer: .device(peer))
        sources[key] = newSource
        return newSource
    }

    /// The source of the events of a peer that has sent an input. The event of an input that gamed itself has sent out continues the
    /// chain of steps that led to it.
    package func source(_ peer: String, after origin: InputOrigin?) -> Source {
        guard let origin else { return source(peer) }
        return Source(
            line.sourceKind, peer: .device(peer),
            linkedSteps: min(origin.linkedSteps, Source.linkedStepsLimit) + 1)
    }

    /// The description of the connection that the method `sources` returns. `now` is on the loop's clock.
    package func value(at now: Instant) -> Value {
        let status = inputConnection.status
        var members = [
            Member("source", line.name), Member("kind", line.word),
            Member("state", status.isUp ? "up" : "down"),
            Member("forMs", Int((now - status.since).milliseconds)),
        ]
        if let lastSeen = status.lastSeen {
            members.append(Member("heardMs", Int((now - lastSeen).milliseconds)))
        }
        if let problem = status.lastError { members.append(Member("problem", problem)) }
        for (name, count) in [
            ("received", status.received), ("sent", status.sent), ("taken", statistics.accepted),
            ("refused", statistics.refused), ("dropped", statistics.dropped),
            ("repeated", statistics.repeated), ("malformed", status.malformed),
            ("unmatched", statistics.unmatched),
        ] { members.append(Member(name, count)) }
        if let last = statistics.lastEvent {
            members.append(Member("lastEvent", last.value(at: now)))
        }
        if let why = statistics.lastRefusal { members.append(Member("lastRefusal", why)) }
        members.append(Member("lastUnmatched", .array(statistics.unmatchedValues(at: now))))
        return .object(members + deviceMembers)
    }
}
