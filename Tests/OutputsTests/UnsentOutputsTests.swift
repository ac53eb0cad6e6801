import Outputs
import Sessions
import Testing
import Timers

/// `UnsentOutputs` finds, after a restart, the outputs that were not sent. These tests are about outputs that belong to no
/// change of a session, such as the output of a stuck session. The journal has a record that such an output was accepted.
@Suite struct UnsentOutputsTests {
    private let session = SessionName("vault")!
    private let key = DeliveryRecord.Key(pos: 3, line: 7, occasion: 0)

    /// The decisions about one accepted output after a restart. `outcomes` are the outcomes in the later records about the
    /// output. `isRealTime` is false if the sessions' clock is virtual. `hasLine` is false if the output's `on` line was
    /// removed.
    private func decisions(
        _ outcomes: [DeliveryRecord.Outcome], isRealTime: Bool = true, hasLine: Bool = true
    ) -> [UnsentOutputs<Int>.Decision] {
        var unsent = UnsentOutputs<Int> { _, _, _ in
            []
        } accepted: { [session] accepted in
            // `end` is nil because the session is still in the entry in which the output was requested.
            guard hasLine, accepted.session == session, accepted.end == nil else { return nil }
            return Output(
                id: "1", target: "alarm", line: 7,
                origin: OutputOrigin(session, seq: 1, accepted.record.key, number: 1), content: 1)
        }
        let accepted = DeliveryRecord(key, number: 1, acceptedFor: session)
        for record in [accepted] + outcomes.map({ DeliveryRecord(key, number: 1, $0) }) {
            unsent.add(
                SessionRecord(
                    .deliveries([record]), session: nil, seq: 0, at: Instant(nanoseconds: 5), pos: 9
                ))
        }
        return unsent.decisions(isRealTime: isRealTime)
    }

    @Test
    func `an accepted output without a later record is sent, and ages from its acceptance`()
        throws
    {
        let found = decisions([])
        guard case .send(let output, let at)? = found.first, found.count == 1 else {
            Issue.record("\(found)")
            return
        }
        #expect(output.origin?.key == key && at == Instant(nanoseconds: 5))
    }

    @Test(arguments: [DeliveryRecord.Outcome.delivered, .givenUp, .withheld])
    func `an accepted output that is finished is not sent again`(_ outcome: DeliveryRecord.Outcome)
    {
        #expect(decisions([outcome]).isEmpty)
    }

    @Test func `an accepted output whose attempt began, or whose age is unknown, is given up`() {
        for found in [decisions([.started]), decisions([], isRealTime: false)] {
            guard case .giveUp? = found.first else {
                Issue.record("\(found)")
                continue
            }
        }
        #expect(decisions([], hasLine: false).isEmpty)
    }
}
