import Durability
import GameFlow
import JSONCoding
import JournalTestSupport
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Timers

/// Durable sessions on a virtual clock, with clients that send text requests. The store commits when the test
/// calls `store.commit()`.
final class DurabilityFixture: GroupCommitDelegate, GroupCommitClients {
    let time = VirtualClock()
    let store = ManualStore()
    let sessions: Sessions
    let groupCommit: GroupCommit
    private let handler: ProtocolHandler
    private(set) var clients: [Client] = []
    /// The arguments of the calls of `holdTimers`.
    private(set) var timerHolds: [Bool] = []
    /// The retries that the group commit has asked for.
    private(set) var retries: [() -> Void] = []
    /// For each recovery of the storage, the sessions whose openings were undone.
    private(set) var undoneOpenings: [[String]] = []

    typealias Client = TestCaller

    init(audits: Bool = false) {
        sessions = Sessions(AnyFlow.shipped(), on: time)
        sessions.auditsRefusals = audits
        groupCommit = GroupCommit(sessions, in: store)
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        handler = ProtocolHandler(Dispatcher(sessions, identity, archive: groupCommit))
        (groupCommit.delegate, groupCommit.clients) = (self, self)
    }

    // MARK: GroupCommitDelegate, GroupCommitClients

    func holdTimers(_ isHeld: Bool) { timerHolds.append(isHeld) }
    func retry(_ work: @escaping () -> Void) { retries.append(work) }
    func report(storageWorks: Bool, _ sentence: String) {}
    func storageIsBack(undone: [Sessions.UndoneOpening]) {
        undoneOpenings.append(undone.map(\.session.text))
    }

    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        for client in clients {
            switch outcome {
            case .durable, .recovered: client.subscriber.release()
            case .failed(let error): client.subscriber.fail(error, client)
            }
        }
    }

    /// Adds a client, and returns it.
    func client() -> Client {
        let number = Int32(clients.count + 1)
        let client = Client(
            Source(.unix, peer: .process(pid: number, uid: 2, gid: 3)), sessions)
        clients.append(client)
        return client
    }

    /// Handles a request line from a client, and ends the turn of the event loop.
    func request(_ line: String, from client: Client) {
        // Moves waiting notifications to the client's output, as a connection does before it answers a request.
        client.subscriber.fill(upTo: .max, for: client.rights)
        handler.answer(.line(Array(line.utf8)[...]), from: client)
        groupCommit.flush()
    }

    /// The lines that a client has received since the previous call.
    func received(by client: Client) -> [String] {
        client.subscriber.fill(upTo: .max, for: client.rights)
        let output = String(decoding: client.outbox.takeSendableBytes(), as: UTF8.self)
        return output.split(separator: "\n").map(String.init)
    }

    /// Makes the retries that the group commit has asked for.
    func retry() { for retry in exchange(&retries, with: []) { retry() } }

    /// Closes all sessions without recording, so that no timers remain.
    func end() {
        sessions.recorder = nil
        for session in sessions.all {
            _ = try? sessions.close(session, RequestContext(from: Players.player))
        }
    }
}
