import GameFlow
import JSONCoding
import Journal
import Sessions
import TestSupport
import Timers

/// Makes random records of all kinds.
struct RecordMaker {
    private var random: SeededRandom

    init(_ seed: UInt64) { random = SeededRandom(seed) }

    mutating func record() -> SessionRecord {
        let session = SessionName("room-\(random.below(100))")!
        let (seq, at, pos) = (count(), instant(), count())
        let body: SessionRecord.Body =
            switch random.below(10) {
            case 0: rest(session, seq, at)
            case 1: .refusal(refusal(session, seq, at))
            case 2:
                .start(
                    SessionRecord.Start(now: instant(), lastAlive: instant(), notes: members()))
            case 3:
                .advance(
                    SessionRecord.ClockAdvance(
                        to: instant(), fired: count(), isCutShort: flip(),
                        by: flip() ? .nanoseconds(number()) : nil,
                        from: flip() ? source() : nil))
            case 4: .quarantineGivenUp(why: text(), source: source())
            case 5:
                .flowText(
                    name: text(),
                    FlowSource(
                        version: text(), text: Array(text().utf8),
                        tableFiles: many { .init(name: $0.text(), bytes: Array($0.text().utf8)) }))
            case 6: .deliveries(many { $0.delivery() })
            case 7: .clock(correction: .nanoseconds(number()))
            default:
                .change(
                    recorded(
                        change(session, seq, at, pos, message: flip() ? nil : messageUpdate())))
            }
        let belongsToDaemon =
            switch body {
            case .start, .advance, .flowText, .deliveries, .clock: true
            default: false
            }
        return SessionRecord(
            body, session: belongsToDaemon ? nil : session, seq: seq, at: at, pos: pos,
            id: flip() ? text() : nil, idNumber: 0, position: 1 + random.below(1000))
    }

    private mutating func delivery() -> DeliveryRecord {
        let key = DeliveryRecord.Key(
            pos: count(), line: random.next(), occasion: random.below(5))
        let outcome = DeliveryRecord.Outcome.allCases.randomElement(using: &random)!
        if outcome == .givenUp, flip() {
            return DeliveryRecord(
                key, number: count(),
                givenUpWith: DeliveryRecord.Alert(
                    id: text(), target: text(), text: text(), session: SessionName("room-2")!))
        }
        guard outcome == .accepted else {
            return DeliveryRecord(key, number: count(), outcome)
        }
        return DeliveryRecord(key, number: count(), acceptedFor: SessionName("room-1")!)
    }

    // MARK: bodies and steps

    private mutating func rest(_ session: SessionName, _ seq: Int, _ at: Instant)
        -> SessionRecord.Body
    {
        let pos = count()
        let last = change(session, seq, instant(), pos, message: flip() ? nil : messageUpdate())
        // A request that made no change showed no message.
        let answer = flip() ? change(session, seq, at, pos, message: nil) : nil
        let fired = flip() ? text() : nil
        return .rest(recorded(last), SessionRecord.Rest(fired: fired, answer: answer))
    }

    private mutating func change(
        _ session: SessionName, _ seq: Int, _ at: Instant, _ pos: Int,
        message: Change.MessageUpdate?
    ) -> Change {
        Change(
            session, seq: seq, pos: pos, entry: pos, previous: 0, at: at, step(),
            details: flip() ? details() : nil, message: message, view: nil)
    }

    private mutating func messageUpdate() -> Change.MessageUpdate {
        flip() ? .ended : .shown(message())
    }

    private mutating func refusal(_ session: SessionName, _ seq: Int, _ at: Instant) -> RefusedEvent
    {
        RefusedEvent(
            event(), omittedBytes: count(), from: source(),
            .recorded(code: count(), name: text(), data: members()), of: session, after: seq,
            at: at, dropped: count(),
            receipt: flip() ? Change.Receipt(received: instant(), ageMs: count()) : nil)
    }

    private mutating func recorded(_ change: Change) -> SessionRecord.Status {
        let step = change.step
        var machine: MachineRecord?
        if step.kind != .close {
            let place = flip() ? step.to ?? stateRecord() : stateRecord()
            machine = MachineRecord(
                place: place, timers: many { $0.timer() },
                waiting: many { MachineRecord.Deferred($0.event(), from: $0.source()) },
                chance: flip()
                    ? Chance(seed: .init(bitPattern: number()), drawn: .init(count())) : nil,
                moments: many {
                    Moment(
                        place: $0.stateRecord(), timers: $0.many { $0.timer() },
                        at: Instant(nanoseconds: $0.number()))
                })
        }
        return SessionRecord.Status(
            change, isConsequence: flip(), flow: text(), flowVersion: flip() ? Int(number()) : nil,
            sourceVersion: flip() ? text() : nil, openedAt: instant(), entry: count(),
            enteredAt: flip() ? instant() : nil, requestIDCount: count(), settings: members(),
            notes: notes(), machine: machine)
    }

    /// Labels, a message and an opening; nil without all three, because a session without notes has nil.
    private mutating func notes() -> SessionNotes? {
        let labels = members()
        let message = flip() ? message() : nil
        let opening =
            flip() ? SessionNotes.Opening(labels: members(), settings: members()) : nil
        return labels.isEmpty && message == nil && opening == nil
            ? nil : SessionNotes(labels: labels, message: message, opening: opening)
    }

    private mutating func message() -> ScreenMessage {
        ScreenMessage(
            text: text(), seq: count(), until: flip() ? instant() : nil,
            scope: random.pick([.operators, .state, .game]))
    }

    private mutating func step() -> Step {
        let kind = random.pick([
            Step.Kind.open, .enter, .keep, .defer, .drop, .goto, .timer, .close, .label, .say,
            .move, .undo,
        ])
        return Step(
            kind, flip() ? event() : nil, from: source(), flip() ? stateRecord() : nil,
            kind == .close && flip() ? nil : stateRecord(),
            effects: many { EffectRecord(name: $0.text(), arguments: $0.members()) },
            missed: count())
    }

    private mutating func details() -> Change.Details {
        switch random.below(9) {
        case 0: return Change.Details(Change.Labelled(members()))
        case 1:
            return Change.Details(
                Change.Said(text(), for: flip() ? .nanoseconds(number()) : nil))
        case 2: return Change.Details(Change.Moved(from: text(), to: text()))
        case 3: return Change.Details(Change.OpenedAgain())
        case 4: return Change.Details(Change.Undone(from: count(), to: count()))
        default: break
        }
        if flip() { return Change.Details(Change.StatedReason(flip() ? text() : nil)) }
        return Change.Details(
            Change.OperatedTimer(
                TimerOperation(
                    text(), random.pick(TimerOperation.Action.allCases),
                    by: flip() ? .nanoseconds(number()) : nil)))
    }

    private mutating func timer() -> TimerRecord {
        let isPaused = flip()
        let until = flip() ? nil : untilTime()
        return TimerRecord(
            fires: text(), total: .nanoseconds(Int64(count())),
            state: isPaused
                ? .paused(remaining: .nanoseconds(number()))
                : .running(until: Instant(nanoseconds: number())),
            order: isPaused ? 0 : UInt64(count()),
            traits: until == nil ? (flip() ? [] : traits()) : [.until], until: until)
    }

    private mutating func untilTime() -> UntilTime {
        UntilTime(
            TimeOfDay(second: random.below(86_400))!, zone: text(),
            since: Instant(nanoseconds: number()), date: Instant(nanoseconds: number()),
            deadline: Instant(nanoseconds: number()))
    }

    /// Traits that a journal contains.
    private mutating func traits() -> TimerTraits {
        random.pick([
            .overtime, [.overtime, .fired], .beginsPaused, .stopwatch, .held, .pausedByProgram,
        ])
    }

    /// All kinds that have a number in the journal, and two that do not.
    private static let kinds = [
        "unix", "tcp", "web", "terminal", "bluetooth", "evdev", "timer", "program", "a \"radio\"",
    ].map { Source.Kind($0) }

    private mutating func source() -> Source {
        let peer: Source.Peer? =
            switch random.below(4) {
            case 0: nil
            case 1:
                .process(
                    pid: Int32(truncatingIfNeeded: number()),
                    uid: UInt32(truncatingIfNeeded: number()),
                    gid: UInt32(truncatingIfNeeded: number()))
            case 2: .address(text())
            default: .device(text())
            }
        return Source(random.pick(Self.kinds), peer: peer, as: flip() ? text() : nil)
    }

    private mutating func stateRecord() -> StateRecord { StateRecord(text(), members()) }
    private mutating func event() -> EventRecord { EventRecord(text(), members()) }

    // MARK: values

    private mutating func members(depth: Int = 0) -> [Member] {
        (0..<random.below(4)).map { Member("\($0)\(text())", value(depth: depth)) }
    }

    private mutating func value(depth: Int) -> Value {
        switch random.below(depth > 3 ? 6 : 8) {
        case 0: return .null
        case 1: return .bool(flip())
        case 2: return .int(Int(number() % Int64(Value.largest)))
        case 3, 4: return .string(text())
        case 5:
            var text = JSONText()
            let raw = random.pick(["1.5", "-0.25e-3", "9007199254740993", "\"a\\u0000\""])
            try! text.read(Array(raw.utf8)[...])
            return text.value(at: JSONText.root)
        case 6: return .array((0..<random.below(4)).map { _ in value(depth: depth + 1) })
        default: return .object(members(depth: depth + 1))
        }
    }

    private mutating func text() -> String {
        let texts = [
            "", "a", "playingLevel", "é", "e\u{301}", "日本語\n\"x\"",
            String(repeating: "x", count: 200),
            "text \(random.below(50))",
        ]
        return random.pick(texts)
    }

    private mutating func instant() -> Instant {
        Instant(nanoseconds: Int64(random.next() % UInt64(Instant.last.nanoseconds + 1)))
    }

    private mutating func number() -> Int64 {
        Int64(bitPattern: random.next()) >> Int64(random.below(64))
    }

    private mutating func count() -> Int {
        flip() ? 0 : Int(random.next() % UInt64(JournalRow.greatestNumber + 1)) >> random.below(53)
    }

    private mutating func flip() -> Bool { random.below(2) == 0 }

    private mutating func many<T>(_ make: (inout RecordMaker) -> T) -> [T] {
        (0..<random.below(4)).map { _ in make(&self) }
    }
}
