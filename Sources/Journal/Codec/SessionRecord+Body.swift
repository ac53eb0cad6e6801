internal import GameFlow
internal import Sessions
internal import Timers

extension SessionRecord.Body {
    /// Makes the content of a record from the fields of a row's body.
    init(_ parts: borrowing BodyParts) throws(UnreadableRowError) {
        self =
            switch parts.kind {
            case .change: .change(try Self.change(parts))
            case .rest: .rest(try Self.rest(parts))
            case .refusal: .refusal(try Self.refusal(parts))
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
                    FlowSource(version: try parts.text(.sourceVersion), text: parts.flowFileText))
            }
    }

    private static func change(_ parts: borrowing BodyParts) throws(UnreadableRowError)
        -> SessionRecord.Changed
    {
        let step = try parts.step()
        return SessionRecord.Changed(
            step, isConsequence: parts.has(.follows),
            try status(parts, after: step))
    }

    private static func rest(_ parts: borrowing BodyParts) throws(UnreadableRowError)
        -> SessionRecord.Rest
    {
        let step = try parts.step()
        return SessionRecord.Rest(
            after: step, pos: try parts.count(.lastPos), at: try parts.instant(.lastAt),
            fired: parts.optionalText(.fired),
            answer: parts.answer,
            isConsequence: parts.has(.follows), try status(parts, after: step))
    }

    private static func status(_ parts: borrowing BodyParts, after step: RecordedStep)
        throws(UnreadableRowError) -> SessionRecord.Status
    {
        SessionRecord.Status(
            flow: try parts.text(.flow), flowVersion: parts.number(.flowVersion).map { Int($0) },
            sourceVersion: parts.optionalText(.sourceVersion),
            openedAt: try parts.instant(.openedAt), entry: parts.countOrZero(.entry),
            enteredAt: parts.enteredAt,
            requestIDCount: parts.countOrZero(.ids), settings: parts.members(.settings),
            notes: parts.sessionNotes, machine: try parts.machine(after: step))
    }

    private static func refusal(_ parts: borrowing BodyParts) throws(UnreadableRowError)
        -> SessionRecord.RecordedRefusal
    {
        SessionRecord.RecordedRefusal(
            try parts.event(), omittedBytes: parts.countOrZero(.omittedBytes),
            from: try parts.requiredSource(), code: try parts.count(.code),
            error: try parts.text(.error), data: parts.members(.data),
            dropped: parts.countOrZero(.dropped))
    }
}
