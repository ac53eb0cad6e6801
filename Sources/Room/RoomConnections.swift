package import EventLoop
import Inputs
package import Parts

/// The connections of the configuration to the devices of the room.
package final class RoomConnections {
    /// The connections in the order of their lines, whether they are up or down.
    package private(set) var all: [RoomConnection] = []
    /// What does not work, for operators.
    package let alerts: AlertBoard
    /// Called when a connection is made, is lost, cannot be made, or is closed because its line was removed or changed.
    var observers: [(_ connection: String, _ isUp: Bool) -> Void] = []
    /// Called with each input, and the name of its connection.
    var inputObservers: [(_ connection: String, any RoomInput) -> Void] = []
    /// Called with each input after the observers.
    package var onInput: (any RoomInput, RoomConnection) -> Void = { _, _ in }
    private let loop: LibeventLoop
    /// The `map` lines for these connections.
    private var maps: [InputMap] = []
    /// What other parts need of the connections, beside the inputs of the `map` lines: filters, by the name of the connection.
    private var filters: [String: [FilterUser: [String]]] = [:]

    /// A part that needs more of a connection than the inputs of the `map` lines.
    enum FilterUser {
        /// `MQTTPublisher`
        case publisher
        /// `RetainedTopics`
        case search
    }
    /// The numbers of connections that are being closed, by their names.
    private var closing: [String: Int] = [:]
    /// The counts of the connections that were closed because their lines were removed or changed, by their names. Counters must
    /// not fall.
    private var closedTotals: [String: InputTotals] = [:]
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    package init(_ alerts: AlertBoard, on loop: LibeventLoop) {
        (self.alerts, self.loop) = (alerts, loop)
    }

    package subscript(name: String) -> RoomConnection? { all.first { $0.line.name == name } }

    /// The counts of all connections, also of those that were closed, by their names.
    var totals: [String: InputTotals] {
        all.reduce(into: closedTotals) { $0[$1.line.name, default: InputTotals()].add($1) }
    }

    /// Replaces the filters for what another part needs of one connection.
    func setFilters(_ newFilters: [String], of name: String, for user: FilterUser = .publisher) {
        guard filters[name]?[user] ?? [] != newFilters else { return }
        filters[name, default: [:]][user] = newFilters
        if let connection = self[name] { subscribe(connection) }
    }

    private func subscribe(_ connection: RoomConnection) {
        let name = connection.line.name
        connection.subscribe(
            for: maps.filter { $0.connection == name }.map(\.pattern),
            and: (filters[name]?[.publisher] ?? []) + (filters[name]?[.search] ?? []))
    }

    /// Opens the connections of `lines`, and closes all connections that have no line there. A connection stays open if its
    /// line is unchanged. `maps` are the `map` lines.
    package func replace(by lines: [ConnectionLine], _ maps: [InputMap]) {
        self.maps = maps
        let old = all
        all = lines.compactMap { line in
            guard let unchanged = old.first(where: { $0.line == line }) else {
                return makeConnection(line)
            }
            subscribe(unchanged)
            return unchanged
        }
        let replaced = old.filter { !lines.contains($0.line) }
        for connection in replaced {
            alerts.end(.connection, connection.line.name)
            showRefusedFilters([], of: connection.line)
        }
        for connection in replaced {
            stop(connection)
            closedTotals[connection.line.name, default: InputTotals()].add(connection)
        }
        for connection in all
        where !(old.contains { $0.line.name == connection.line.name })
            && closing[connection.line.name] == nil
        {
            connection.inputConnection.start()
        }
    }

    /// Stops the connection of a changed or removed line, and tells the observers: nothing that was sent by it is acknowledged
    /// any more. A new connection of the same name is started when the old one is closed.
    private func stop(_ connection: RoomConnection) {
        let name = connection.line.name
        closing[name, default: 0] += 1
        connection.inputConnection.stop { [weak self] in
            guard let self, let count = closing[name] else { return }
            closing[name] = count > 1 ? count - 1 : nil
            if count == 1 { self[name]?.inputConnection.start() }
        }
        for observer in observers { observer(name, false) }
    }

    /// Creates the connection of a line; nil if the connection cannot be created. Once it is started, the connection is made
    /// again after each failure.
    private func makeConnection(_ line: ConnectionLine) -> RoomConnection? {
        do throws(EventLoopError) {
            let connection = try line.endpoint.connection(for: line, on: loop)
            subscribe(connection)
            connection.onInput = { [unowned self, unowned connection] in
                for observer in inputObservers { observer(connection.line.name, $0) }
                onInput($0, connection)
            }
            connection.inputConnection.onChange = { [unowned self] in
                connectionChanged(line, failure: $0)
            }
            connection.onRefusal = { [unowned self] in showRefusedFilters($0, of: line) }
            return connection
        } catch {
            Log.write(.error, .connection, "\(line.word) \(line.name): \(error)")
            return nil
        }
    }

    /// Called when a connection was made, was lost, or cannot be made. `failure` is a sentence about the failure; nil if the
    /// connection was made. Logs the change and tells the observers.
    private func connectionChanged(_ line: ConnectionLine, failure: String?) {
        log.write(
            failure == nil ? .info : .warning, .connection,
            "\(line.word) \(line.name): \(failure ?? "connected")",
            failure.map { [.source(line.name), .reason($0)] } ?? [.source(line.name)])
        if let failure {
            alerts.begin(
                .connection, line.name,
                "\(line.word) \(line.name) is down: \(failure). Its inputs do not arrive, and its outputs are not sent."
            )
        } else {
            alerts.end(.connection, line.name)
        }
        for observer in observers { observer(line.name, failure == nil) }
    }

    /// Shows operators which topic filters the broker of a connection refuses at present. Ends the alert if it refuses none.
    private func showRefusedFilters(_ filters: [String], of line: ConnectionLine) {
        let name = "\(line.name) subscriptions"
        guard !filters.isEmpty else { return alerts.end(.connection, name) }
        let (shown, more) = (filters.prefix(Self.shownFilters), filters.count - Self.shownFilters)
        let list = shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let sentence = "\(line.word) \(line.name): the broker refuses the subscription to \(list)"
        log.write(.warning, .connection, sentence, [.source(line.name), .reason(sentence)])
        alerts.begin(.connection, name, "\(sentence). Messages with these topics do not arrive.")
    }

    /// The maximum number of refused filters that an alert names.
    private static let shownFilters = 5
}
