import Outputs
import Sessions
import Testing
import Timers

/// `LeftOutputs` finds, after a restart, the accepted outputs that were not sent and that no change asks for.
@Suite struct LeftOutputsTests {
    private let session = SessionName("vault")!
    private let key = DeliveryRecord.Key(pos: 3, line: 7, occasion: 0)

    /// The fates of one accepted output after a restart, if the journal has records with these outcomes for it.
    private func fates(
        _ outcomes: [DeliveryRecord.Outcome], isRealTime: Bool = true, hasLine: Bool = true
    ) -> [LeftOutputs<Int>.Fate] {
        var left = LeftOutputs<Int> { _, _, _ in
            []
        } accepted: { [session] accepted in
            guard hasLine, accepted.session == session, accepted.end == nil else { return nil }
            return Output(
                id: "1", target: "alarm", line: 7,
                origin: OutputOrigin(session, seq: 1, accepted.record.key, number: 1), content: 1)
        }
        let accepted = DeliveryRecord(key, number: 1, acceptedFor: session)
        for record in [accepted] + outcomes.map({ DeliveryRecord(key, number: 1, $0) }) {
            left.add(
                SessionRecord(
                    .deliveries([record]), session: nil, seq: 0, at: Instant(nanoseconds: 5), pos: 9
                ))
        }
        return left.fates(isRealTime: isRealTime)
    }

    @Test
    func `an accepted output without a later record is sent, and ages from its record`() throws {
        let found = fates([])
        guard case .send(let output, let at)? = found.first, found.count == 1 else {
            Issue.record("\(found)")
            return
        }
        #expect(output.origin?.key == key && at == Instant(nanoseconds: 5))
    }

    @Test(arguments: [DeliveryRecord.Outcome.delivered, .givenUp, .withheld])
    func `an accepted output that is finished is not sent again`(_ outcome: DeliveryRecord.Outcome)
    {
        #expect(fates([outcome]).isEmpty)
    }

    @Test func `an accepted output whose attempt began, or whose age is unknown, is given up`() {
        for found in [fates([.started]), fates([], isRealTime: false)] {
            guard case .giveUp? = found.first else {
                Issue.record("\(found)")
                continue
            }
        }
        #expect(fates([], hasLine: false).isEmpty)
    }
}
