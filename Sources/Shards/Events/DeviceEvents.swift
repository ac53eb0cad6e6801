package import EventLoop
import GameFlow
package import Parts
package import Sessions
import Timers

/// Sends the events of devices to their sessions. A session of this process gets them by a call of its shard, and a session of
/// another node through `SharingNodes`.
///
/// The outcome of an event is reported when its change is durable. If this process loses the shard before that, the event goes
/// to the next owner with the same id, so that it happens only once.
package final class DeviceEvents: DeviceEventSender {
    private let shards: OwnShards
    /// The nodes that share the sessions with this process; nil if it owns all sessions.
    private let nodes: (any SharingNodes)?
    private let loop: LibeventLoop

    package init(_ shards: OwnShards, _ nodes: (any SharingNodes)?, on loop: LibeventLoop) {
        (self.shards, self.nodes, self.loop) = (shards, nodes, loop)
    }

    package var isFull: Bool { shards.isFull || nodes?.isFull ?? false }

    package func announce(_ input: @autoclosure () -> UnmatchedInput) { shards.announce(input()) }

    package func send(_ content: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        let now = loop.timerQueue.now
        guard let nodes else { return send(ReceivedEvent(content, at: now, id: nil), done) }
        let event = ReceivedEvent(content, at: now, id: nodes.newID())
        nodes.enqueue(to: content.session) { [self] sendNext in
            let finish = { (outcome: SentEvent.Outcome) in
                done(outcome)
                sendNext()
            }
            if event.isTooOld(at: loop.timerQueue.now, nodes.runsSince) {
                return finish(.refused(content.givenName, EventRefusal("stale")))
            }
            send(event, finish)
        }
    }

    /// Calls the shard of the session. If this process does not serve the shard, the event goes to its owner.
    private func send(_ event: ReceivedEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        let session = event.content.session
        guard let shard = shards[of: session] else {
            return nodes?.relay(event, as: nil, done) ?? ()
        }
        shard.call(about: session) { [loop] sessions in
            TakenEvent(event, in: sessions, at: loop.timerQueue.now)
        } ended: { [nodes] end in
            switch end {
            case .durable(let taken): done(taken.outcome)
            case .failed(let error, let taken):
                let name = taken?.choice?.name ?? event.content.choice(in: shard.sessions)?.name
                done(.refused(name, EventRefusal(error)))
            case .lost(let taken): nodes?.relay(event, as: taken?.acceptedChoice, done)
            }
        }
    }
}
