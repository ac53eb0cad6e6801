import Durability
import GameFlow
import JSONCoding
import JournalTestSupport
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Timers

/// Clients in a conversation about sessions that are kept, on virtual time: a test says when the disk has done
/// its work.
final class DurabilityFixture: GroupCommitDelegate, GroupCommitClients {
    let time = VirtualClock()
    let store = ManualStore()
    let sessions: Sessions
    let keeper: GroupCommit
    private let conversation: ProtocolHandler
    private(set) var clients: [Client] = []
    private(set) var held: [Bool] = []
    private(set) var retries: [() -> Void] = []
    /// The sessions whose openings were taken back, of each time when the storage came back.
    private(set) var undone: [[String]] = []

    typealias Client = TestCaller

    init(audits: Bool = false) {
        sessions = Sessions(AnyFlow.shipped(), on: time)
        sessions.auditsRefusals = audits
        keeper = GroupCommit(sessions, in: store)
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        conversation = ProtocolHandler(Dispatcher(sessions, identity, archive: keeper))
        (keeper.delegate, keeper.clients) = (self, self)
    }

    // MARK: KeeperDelegate, KeeperClients

    func holdTimers(_ isHeld: Bool) { held.append(isHeld) }
    func retry(_ work: @escaping () -> Void) { retries.append(work) }
    func report(storageWorks: Bool, _ sentence: String) {}
    func storageIsBack(undone: [Sessions.UndoneOpening]) {
        self.undone.append(undone.map(\.session.text))
    }

    func rowsBecameDurable(_ outcome: GroupCommit.Outcome) {
        for client in clients {
            switch outcome {
            case .kept, .back: client.mailbox.release()
            case .failed(let error): client.mailbox.fail(error, client)
            }
        }
    }

    func client() -> Client {
        let number = Int32(clients.count + 1)
        let client = Client(
            Source(.unix, peer: .process(pid: number, uid: 2, gid: 3)), sessions)
        clients.append(client)
        return client
    }

    /// A client says a line, and the turn ends.
    func say(_ line: String, _ client: Client) {
        client.mailbox.fill(upTo: .max, for: client.rights)
        conversation.answer(.line(Array(line.utf8)[...]), from: client)
        keeper.flush()
    }

    /// The lines that a client has heard since it was asked last.
    func heard(_ client: Client) -> [String] {
        client.mailbox.fill(upTo: .max, for: client.rights)
        return String(decoding: client.outbox.take(), as: UTF8.self).split(separator: "\n").map(
            String.init)
    }

    func retry() { for retry in exchange(&retries, with: []) { retry() } }

    func end() {
        sessions.recorder = nil
        for session in sessions.list(limit: .max - 1).sessions {
            _ = try? sessions.close(session, RequestContext(from: Players.player))
        }
    }
}
