package import EventLoop
import GameFlow
package import JSONCoding
package import RPC
import Sessions
import Timers

/// The method `clients`: lists the connected clients, and closes connections.
package final class ClientsMethod: PartMethod {
    package let method = Method.clients
    /// The connected clients.
    private let clients: () -> [any ListedClient]
    private var timer = Ticker()
    /// Closes connections in the next turn, when this turn's replies are written.
    private let laterCalls: LaterCalls

    /// The maximum number of clients in the result. The oldest connections come first.
    package static let pageLimit = 1000
    /// What closing a connection does not do.
    static let closedNote =
        "closed; the client may connect again; `gamectl token remove NAME` and the rules keep it out"

    package init(on loop: LibeventLoop, _ clients: @escaping () -> [any ListedClient]) {
        (self.clients, laterCalls) = (clients, LaterCalls(on: loop))
        timer.start(on: loop, .seconds(RecentRequests.rollSeconds)) { _ in
            for client in clients() { client.rollRequests() }
        }
    }

    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        var all = clients().sorted { $0.number < $1.number }
        var note: [Member] = []
        if let action = params.text(.action) {
            guard ClientAction(rawValue: action) == .kick else {
                throw .invalidParams("action: expected \(ClientAction.kick.rawValue)")
            }
            guard let id = params.text(.id) else { throw .invalidParams("id: missing") }
            // A client that has gone meanwhile needs no closing, so an unknown id is no error.
            if let index = all.firstIndex(where: { "\($0.number)" == id }) {
                // The connection may be the caller's own.
                let client = all.remove(at: index)
                laterCalls.add { client.close() }
                note = [Member("note", Self.closedNote)]
            } else {
                note = [Member("note", "no client has the id \(id); it may have gone already")]
            }
        } else if params.has(.id) {
            throw .invalidParams("id: needs an action")
        }
        let page = all.prefix(Self.pageLimit).map { Value.object($0.members) }
        writer.object(
            [
                Member("clients", .array(page)),
                Member("more", .bool(all.count > Self.pageLimit)),
            ] + note)
        return .succeeded
    }
}
