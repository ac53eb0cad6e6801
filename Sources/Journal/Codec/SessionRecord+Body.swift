internal import GameFlow
internal import Sessions
internal import Timers

extension SessionRecord.Body {
    /// Makes the content of a record from the fields of a row's body, its head, its session, and the `pos` in the body.
    init(
        _ parts: borrowing BodyParts, _ head: RowHead, _ session: SessionName?, pos: Int
    ) throws(UnreadableRowError) {
        self =
            switch parts.kind {
            case .change: .change(try Self.change(parts, head, session, pos))
            case .rest: try Self.rest(parts, head, session)
            case .refusal: .refusal(try Self.refusal(parts, head, session))
            case .start:
                .start(
                    SessionRecord.Start(
                        now: try parts.instant(.now), lastAlive: try parts.instant(.lastAlive),
                        notes: parts.members(.notes)))
            case .advance:
                .advance(
                    SessionRecord.ClockAdvance(
                        to: try parts.instant(.now), fired: parts.countOrZero(.firings),
                        isCutShort: parts.has(.isCutShort),
                        by: parts.number(.by).map { .nanoseconds($0) }, from: parts.source))
            case .quarantineGivenUp:
                .quarantineGivenUp(why: try parts.text(.why), source: try parts.requiredSource())
            case .forgotten:
                .forgotten(
                    SessionRecord.Forgotten(
                        parts.positions, openings: try parts.count(.openings)))
            case .deliveries: .deliveries(parts.deliveries)
            case .clock:
                .clock(correction: .nanoseconds(try parts.requiredNumber(.correction)))
            case .flowText:
                .flowText(
                    name: try parts.text(.flow),
                    FlowSource(
                        version: try parts.text(.sourceVersion), text: parts.flowFileText,
                        tableFiles: parts.tableFiles))
            }
    }

    private static func change(
        _ parts: borrowing BodyParts, _ head: RowHead, _ session: SessionName?, _ pos: Int
    ) throws(UnreadableRowError) -> SessionRecord.Status {
        try status(parts, head, session, pos: pos, at: Instant(nanoseconds: head.atNs))
    }

    private static func rest(
        _ parts: borrowing BodyParts, _ head: RowHead, _ session: SessionName?
    ) throws(UnreadableRowError) -> Self {
        let status = try status(
            parts, head, session, pos: try parts.count(.lastPos), at: try parts.instant(.lastAt))
        let answer = parts.answer.map {
            let last = status.change
            return Change(
                last.session, seq: last.seq, pos: last.pos, entry: last.entry, previous: 0,
                at: Instant(nanoseconds: head.atNs), $0, details: parts.answerDetails, view: nil)
        }
        return .rest(
            status, SessionRecord.Rest(fired: parts.optionalText(.fired), answer: answer))
    }

    /// The session after the record, and its newest change, which was made at `instant` with the number `pos`. Its previous change is
    /// not in memory. A change of a journal of version 1 has no entry; clients of that version did not use entries.
    private static func status(
        _ parts: borrowing BodyParts, _ head: RowHead, _ session: SessionName?, pos: Int,
        at instant: Instant
    ) throws(UnreadableRowError) -> SessionRecord.Status {
        guard let session else { throw UnreadableRowError(why: RecordReader.wrongKindText) }
        let entry = parts.countOrZero(.entry)
        let change = Change(
            session, seq: head.seq, pos: pos, entry: entry > 0 ? entry : pos, previous: 0,
            at: instant, try parts.step(), details: parts.details, message: parts.messageUpdate,
            view: nil)
        return SessionRecord.Status(
            change, isConsequence: parts.has(.follows), flow: try parts.text(.flow),
            flowVersion: parts.number(.flowVersion).map { Int($0) },
            sourceVersion: parts.optionalText(.sourceVersion),
            openedAt: try parts.instant(.openedAt), entry: parts.countOrZero(.entry),
            enteredAt: parts.enteredAt,
            requestIDCount: parts.countOrZero(.ids), settings: parts.members(.settings),
            notes: parts.sessionNotes, machine: try parts.machine(after: change.step),
            chance: parts.chance)
    }

    private static func refusal(
        _ parts: borrowing BodyParts, _ head: RowHead, _ session: SessionName?
    ) throws(UnreadableRowError) -> RefusedEvent {
        guard let session else { throw UnreadableRowError(why: RecordReader.wrongKindText) }
        return RefusedEvent(
            try parts.event(), omittedBytes: parts.countOrZero(.omittedBytes),
            from: try parts.requiredSource(),
            .recorded(
                code: try parts.count(.code), name: try parts.text(.error),
                data: parts.members(.data)),
            of: session, after: head.seq, at: Instant(nanoseconds: head.atNs),
            dropped: parts.countOrZero(.dropped), receipt: parts.receipt)
    }
}
