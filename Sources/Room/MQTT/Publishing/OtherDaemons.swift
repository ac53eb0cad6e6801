import EventLoop
import Inputs
import Parts
import Support
import Timers

/// The other daemons that publish below the prefix of a connection of this daemon: their topics and those of this daemon are
/// mixed. An alert says so as long as they answer. `PrefixClaim` is the message by which they notice each other.
package final class OtherDaemons {
    /// What a claim says.
    enum Hearing {
        /// This daemon has sent the claim: the broker has returned it.
        case own
        /// The other daemon is known, or there are too many to tell them apart.
        case known
        /// The daemon was not heard before.
        case new
    }

    /// A connection, and the prefix below which this daemon publishes there.
    private struct Place: Hashable {
        let connection: String
        let prefix: PublishedPrefix

        /// The name of the alert.
        var alert: String { "\(connection) publish=\(prefix.text)" }
    }

    /// The name of the daemon's instance, which all nodes of a database share, and of its node.
    private let instance: String
    private let node: String
    private let loop: LibeventLoop
    private let connections: RoomConnections
    /// The daemons by their instances: the names of their nodes, and when they said last that they publish.
    private var daemons: [Place: [String: (node: String, lastHeard: Instant)]] = [:]
    /// Asks the daemons whether they still publish, while there are some.
    private var timer = Ticker()

    /// The period in which the daemons are asked.
    private static let period = Duration.seconds(60)
    /// A daemon that has not answered for this time has ended.
    private static let answerTime = Duration.seconds(150)
    /// The maximum number of daemons below one prefix that are told apart.
    private static let limit = 16

    /// `instance` is the name of this daemon's instance, and `node` that of its node.
    init(_ connections: RoomConnections, on loop: LibeventLoop, instance: String, node: String) {
        (self.connections, self.loop, self.instance, self.node) = (
            connections, loop, instance, node
        )
    }

    /// Whether other daemons publish below the prefix at the broker of the connection.
    func arePublishing(below prefix: PublishedPrefix, at connection: String) -> Bool {
        daemons[Place(connection: connection, prefix: prefix)] != nil
    }

    /// Says that this daemon publishes below the prefix. `asks` asks the others to answer.
    func claim(_ prefix: PublishedPrefix, asks: Bool, at connection: String) {
        let claim = PrefixClaim(instance: instance, node: node, asks: asks)
        let message = MQTTMessage(topic: prefix.claims, payload: Array(claim.payload.utf8))
        _ = (connections[connection] as? BrokerConnection)?.broker.publish(message)
    }

    /// Answers a claim, and notes its daemon.
    func hear(_ claim: PrefixClaim, below prefix: PublishedPrefix, at connection: String) -> Hearing
    {
        guard !claim.instance.hasSameBytes(as: instance) else { return .own }
        if claim.asks { self.claim(prefix, asks: false, at: connection) }
        let place = Place(connection: connection, prefix: prefix)
        let isKnown = daemons[place]?[claim.instance] != nil
        guard isKnown || daemons[place]?.count ?? 0 < Self.limit else { return .known }
        daemons[place, default: [:]][claim.instance] = (claim.node, loop.timerQueue.now)
        if !timer.isRunning {
            timer.start(on: loop, Self.period) { [unowned self] _ in askAll() }
        }
        guard !isKnown else { return .known }
        let sentence =
            "another daemon, on \(claim.node), publishes below \(prefix.text); give each daemon its own publish="
        Log.write(.warning, .connection, "mqtt \(connection): \(sentence)")
        connections.alerts.begin(
            .connection, place.alert,
            "mqtt \(connection): \(sentence). The topics of both are mixed.")
        return .new
    }

    /// Forgets the daemons of a connection that no longer publishes below the prefix.
    func forget(_ prefix: PublishedPrefix, at connection: String) {
        forget(Place(connection: connection, prefix: prefix))
    }

    private func forget(_ place: Place) {
        daemons[place] = nil
        connections.alerts.end(.connection, place.alert)
        if daemons.isEmpty { timer.stop() }
    }

    /// Forgets the daemons that have ended, and asks the others.
    private func askAll() {
        let now = loop.timerQueue.now
        for (place, known) in daemons {
            daemons[place] = known.filter { now - $0.value.lastHeard < Self.answerTime }
            claim(place.prefix, asks: true, at: place.connection)
            if daemons[place]?.isEmpty == true { forget(place) }
        }
    }
}
