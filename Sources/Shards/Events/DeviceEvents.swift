package import EventLoop
import GameFlow
package import Parts
import RPC
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
        guard let nodes else {
            return send(ReceivedEvent(content: content, receivedAt: now), waits: {}, done)
        }
        // The event has an id in any case, because it is repeated if its session moves to another node.
        var content = content
        content.id = content.id ?? nodes.newID()
        let event = ReceivedEvent(content: content, receivedAt: now)
        nodes.enqueue(to: content.session) { [self, content] sendNext in
            // The next event need not wait while this one waits for others.
            let sendNext = Once(sendNext)
            let finish = { (outcome: SentEvent.Outcome) in
                done(outcome)
                sendNext.call()
            }
            if event.isTooOld(at: loop.timerQueue.now, nodes.runsSince) {
                return finish(.refused(content.givenName, .error("stale")))
            }
            send(event, waits: { sendNext.call() }, finish)
        }
    }

    /// A function that is called at most once.
    private final class Once {
        private let function: () -> Void
        private var wasCalled = false

        init(_ function: @escaping () -> Void) { self.function = function }

        func call() { if !exchange(&wasCalled, with: true) { function() } }
    }

    /// Calls the shard of the session. If this process does not serve the shard, the event goes to its owner. `waits` is called if
    /// the event waits for others of its name.
    private func send(
        _ event: ReceivedEvent, waits: @escaping () -> Void,
        _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        let session = event.content.session
        guard let shard = shards[of: session] else { return relay(event, nil, done) }
        shard.call(about: session) { [loop] sessions, sent in
            Self.send(
                event.content(at: loop.timerQueue.now), in: sessions, waits: waits, sent)
        } ended: { [self] end in
            switch end {
            case .durable(let sent): done(sent.outcome)
            case .failed(let error, let sent):
                let name = sent?.choice?.name ?? event.content.choice(in: shard.sessions)?.name
                done(.refused(name, EventRefusal(error)))
            case .lost(let sent):
                // A refused event is decided again, by the state that the next owner has.
                let isAccepted = if case .accepted? = sent?.outcome { true } else { false }
                relay(event, isAccepted ? sent : nil, done)
            }
        }
    }

    /// A call of a shard has sent an event: its outcome and the name by which it was sent.
    private typealias Sent = (outcome: SentEvent.Outcome, choice: EventChoice?)

    /// Passes an event to the next owner of its session. `accepted` is what this process has done, if it has accepted the event;
    /// its change may be durable. If this process owns all sessions, it ends: nobody can take the event over.
    private func relay(
        _ event: ReceivedEvent, _ accepted: Sent?, _ done: @escaping (SentEvent.Outcome) -> Void
    ) {
        if let nodes { return nodes.relay(event, as: accepted?.choice, done) }
        done(accepted?.outcome ?? .refused(event.content.givenName, .error("storage")))
    }

    /// Sends an event to a session of this process, and passes its outcome to `sent`. `choice` is nil if no name was chosen.
    private static func send(
        _ event: SentEvent, in sessions: Sessions, waits: () -> Void,
        _ sent: @escaping (Sent?) -> Void
    ) {
        guard let choice = event.choice(in: sessions) else { return sent((.notSent, nil)) }
        let end = { (outcome: WaitingEvent.Outcome?) in
            sent(
                outcome.map { outcome in
                    switch outcome {
                    case .success(let answer):
                        let change = answer.value
                        let (kind, state) = (change.kind.name, change.step.to)
                        return (.accepted(choice.name, kind: kind, state: state), choice)
                    case .failure(let error):
                        return (.refused(choice.name, EventRefusal(error)), choice)
                    }
                })
        }
        do throws(RequestError) {
            let session = try sessions.session(event.session)
            if let id = event.id, sessions.remembers(id, of: event.session) {
                return sent((.repeated, choice))
            }
            let requested = RequestedEvent(choice.name, in: session.flow)
            let arguments = ArgumentConversion.convert(
                event.arguments, of: choice.name, in: session.flow)
            let context = RequestContext(
                from: event.source, id: event.id, ageMs: event.ageMs,
                ageLimitMs: event.ageLimit.map { Int($0.milliseconds) })
            guard sessions.collects(requested, in: session.flow) else {
                return end(.success(try sessions.send(requested, arguments, to: session, context)))
            }
            switch try sessions.collect(
                requested, arguments, to: session, context, longestAge: Grant.ageWithoutRule)
            {
            case .sent(let answer): end(.success(answer))
            case .waits(let waiting):
                waiting.whenEnded(end)
                waits()
            }
        } catch {
            // The id was used, and the answer is forgotten.
            if event.id != nil, case .staleID = error { return sent((.repeated, choice)) }
            end(.failure(error))
        }
    }
}

extension SentEvent {
    /// The name of the event; nil if it is chosen by the situation of the session.
    var givenName: String? { if case .named(let name) = choice { name } else { nil } }

    /// The name with which the event is sent at this moment; nil if it is not to be sent.
    fileprivate func choice(in sessions: Sessions) -> EventChoice? {
        switch choice {
        case .named(let name): return (name, nil)
        case .chosen(let choose):
            guard let session = try? sessions.session(self.session),
                let name = choose(SessionSituation(of: session))
            else { return nil }
            return (name, session.entry)
        }
    }
}

extension SessionSituation {
    fileprivate init(of session: Session) {
        self.init(
            state: session.machine.place, flow: session.flow,
            lastEvent: session.lastSummary.flatMap { last in
                last.event.map { ($0.name, last.source) }
            })
    }
}
