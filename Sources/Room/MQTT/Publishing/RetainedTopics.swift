package import EventLoop
import Inputs
import Parts
import RPC
import Support
import Timers

/// Finds and clears the retained messages that `publish=` leaves below a prefix when nothing publishes there any more, such as after the
/// configuration was moved to another computer. It touches only topics of the forms that gamed publishes.
package final class RetainedTopics {
    /// Why they cannot be looked for, or cleared.
    package struct LookupError: DescribedError {
        package let why: String
    }

    private let connections: RoomConnections
    private let loop: LibeventLoop
    private var search: Search?

    /// A search that waits for the retained messages of the brokers.
    private struct Search {
        let prefix: PublishedPrefix
        let clears: Bool
        /// The topics that were found, by the name of the connection.
        var found: [String: Set<String>] = [:]
        let done: Completion
        let timer: ScopedCountdown
    }

    /// Gets the topics in order, or why not all of them could be cleared.
    package typealias Completion = (Result<[String], LookupError>) -> Void

    /// How long the brokers may take to send their retained messages.
    private static let answerTime = Duration.seconds(1)
    /// The maximum number of topics of one search; further ones need another.
    package static let limit = 10_000

    package init(_ connections: RoomConnections, on loop: LibeventLoop) {
        (self.connections, self.loop) = (connections, loop)
        connections.inputObservers.append { [unowned self] connection, input in
            if search != nil, let message = input as? MQTTMessage { receive(message, connection) }
        }
    }

    /// Looks at all brokers that are connected, and clears what it finds if `clears` is true. Calls `done` once, later. Throws if a line of this daemon publishes below the prefix, or if another search runs.
    package func look(
        below text: String, clears: Bool, _ done: @escaping Completion
    ) throws(LookupError) {
        guard search == nil else { throw LookupError(why: "another search runs; try again") }
        let brokers = connections.all.filter { $0.line.broker != nil }
        let connected = brokers.filter(\.inputConnection.status.isUp)
        guard !connected.isEmpty else { throw LookupError(why: "no broker is connected") }
        if let line = brokers.first(where: {
            $0.line.broker?.prefix?.hasSameBytes(as: text) == true
        }) {
            throw LookupError(why: "the line mqtt \(line.line.name) publishes below \(text)")
        }
        guard MQTTTopic.isName(text), !text.hasSuffix("/") else {
            throw LookupError(why: "\(text): expected the prefix of a line `publish=`")
        }
        let prefix = PublishedPrefix(text: text)
        let timer = ScopedCountdown(on: loop, Self.answerTime) { [unowned self] in finish() }
        search = Search(prefix: prefix, clears: clears, done: done, timer: timer)
        for connection in connected {
            connections.setFilters(
                prefix.sessionFilters + [prefix.status, HomeAssistant.configurationFilter],
                of: connection.line.name, for: .search)
        }
    }

    private func receive(_ message: MQTTMessage, _ connection: String) {
        guard let search, message.isRetained, !message.payload.isEmpty else { return }
        let prefix = search.prefix
        guard
            prefix.session(ofTopic: message.topic) != nil
                || message.topic.hasSameBytes(as: prefix.status)
                || HomeAssistant.session(prefix, ofMessage: message) != nil,
            search.found.values.reduce(0, { $0 + $1.count }) < Self.limit
        else { return }
        self.search?.found[connection, default: []].insert(message.topic)
    }

    private func finish() {
        guard let search = exchange(&search, with: nil) else { return }
        for connection in connections.all where connection.line.broker != nil {
            connections.setFilters([], of: connection.line.name, for: .search)
        }
        let topics = Set(search.found.values.joined()).sorted()
        guard search.clears else { return search.done(.success(topics)) }
        let remainingCount = search.found.reduce(0) { $0 + clear($1.value, at: $1.key) }
        guard remainingCount == 0 else {
            let why =
                "a broker accepts no more messages: \(remainingCount) topics remain; try again"
            return search.done(.failure(LookupError(why: why)))
        }
        search.done(.success(topics))
    }

    /// Clears topics at a broker. Returns how many the connection did not accept, because it is down or too much waits.
    private func clear(_ topics: Set<String>, at connection: String) -> Int {
        let broker = (connections[connection] as? BrokerConnection)?.broker
        return topics.sorted().count {
            broker?.publish(MQTTMessage(topic: $0, payload: [], isRetained: true)) == nil
        }
    }
}
