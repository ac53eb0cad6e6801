import GameFlow
import GameFlowHosting
import GameFlowTesting
import ShippedFlows
import Testing
import Timers

/// Uploads that the test answers.
private actor Bank {
    private(set) var uploads: [KYC.Upload] = []
    func receive(_ upload: KYC.Upload) -> KYC.Event {
        uploads.append(upload)
        return uploads.count < 3 ? .uploadFailed : .uploaded
    }
}

/// A flow of 13 states with timers, repeated work, deferred events and typed effects.
@Suite struct KYCTests {
    private func newTest(at name: KYC.StateName, _ data: [Member] = []) throws -> MachineTest<KYC> {
        let test = MachineTest(KYC())
        try test.start(name, data)
        return test
    }

    @Test func `a customer is identified`() throws {
        let test = MachineTest(KYC())
        for event: KYC.Event in [
            .begin, .enterPhone(phone: "555"), .codeSent, .enterCode(code: "4711"),
            .submitProfile(name: "Ann"), .choose(document: .passport), .captured, .uploaded,
        ] { try test.send(event) }
        test.expect(.reviewing, ["customer": "Ann"])
        test.expectTimers("reviewTimedOut", "poll")
        test.after(.minutes(8))
        try test.send(.accepted)
        test.expect(.approved)
        test.expectTimers()
        #expect(test.clock.pending.isEmpty)
    }

    @Test func `three wrong codes ask for the phone again`() throws {
        let test = try newTest(at: .enteringCode, [Member("phone", "555"), Member("tries", 0)])
        try test.send(.enterCode(code: "1"))
        test.after(.minutes(4))
        try test.send(.enterCode(code: "2"))
        test.expect(.enteringCode, ["tries": 2])
        try test.send(.enterCode(code: "3"))
        test.expect(.enteringPhone)
    }

    @Test func `a wrong code does not give more time`() throws {
        let test = try newTest(at: .enteringCode, [Member("phone", "555"), Member("tries", 0)])
        test.after(.minutes(4))
        try test.send(.enterCode(code: "1"))
        test.after(.minutes(1))
        test.expect(.enteringPhone)
    }

    @Test func `an upload is repeated after 1 and 2 seconds, and then given up`() throws {
        let test = try newTest(
            at: .capturing, [Member("customer", "Ann"), Member("document", KYC.Document.selfie)])
        try test.send(.captured)
        try test.send(.uploadFailed)
        test.after(.seconds(1))
        test.expect(.uploading, ["attempt": 2])
        test.after(.seconds(30))
        test.expect(.waitingToRetry)
        test.after(.seconds(2))
        test.expect(.uploading, ["attempt": 3])
        try test.send(.uploadFailed)
        test.expect(.choosingDocument)
        test.expectInvariants()
    }

    @Test func `without a network the upload waits`() throws {
        let test = try newTest(
            at: .capturing, [Member("customer", "Ann"), Member("document", KYC.Document.selfie)])
        try test.send(.captured)
        try test.send(.networkLost)
        test.after(.minutes(60))
        test.expectRefusal(.uploaded, .noTransition)
        try test.send(.networkFound)
        test.expect(.uploading, ["attempt": 1])
    }

    @Test func `a link waits for the approval`() throws {
        let test = try newTest(at: .reviewing, [Member("customer", "Ann")])
        try test.send(.openLink(link: "bank://card"))
        #expect(test.machine.deferredCount == 1)
        try test.send(.accepted)
        #expect(test.machine.deferredCount == 0)
        test.expect(.approved)
    }

    @Test @MainActor func `one handler carries out all effects`() async throws {
        let (bank, clock) = (Bank(), VirtualClock())
        let machine = FlowDefinition(KYC()).machine(on: clock)
        machine.handle { effect in
            switch effect {
            case .upload(let upload): await bank.receive(upload)
            case .sendCode: .codeSent
            case .poll, .open: nil
            }
        }
        try machine.send(.begin)
        try machine.send(.enterPhone(phone: "555"))
        await machine.finishHandlers()
        try machine.send(.enterCode(code: "4711"))
        try machine.send(.submitProfile(name: "Ann"))
        try machine.send(.choose(document: .licence))
        try machine.send(.captured)
        for _ in 0..<3 {
            await machine.finishHandlers()
            clock.advance(by: .seconds(2))
        }
        #expect(await bank.uploads.map(\.attempt) == [1, 2, 3])
        #expect(machine.place.state == "reviewing")
    }

    @Test func `a server hosts the flow`() async throws {
        let host = SessionHost(KYC(), store: Drawer())
        try await host.open("ann")
        try await host.send(.begin, to: "ann", id: "1")
        let state = try await host.send(.enterPhone(phone: "555"), to: "ann", id: "2")
        guard case .sendingCode(phone: "555", _) = state else {
            Issue.record("\(state)")
            return
        }
        try await host.close("ann")
    }

    @Test func `the flow has no defects`() {
        // There are as many situations as texts, so the search cannot be complete.
        #expect(KYC().lint(moves: 3000, allowingIncomplete: true).isEmpty)
        #expect(KYC().races(moves: 1000, allowingIncomplete: true).isEmpty)
    }
}

/// A store that keeps nothing.
private struct Drawer: SnapshotStore {
    func save(_ snapshot: MachineSnapshot?, of name: String) {}
    func load() -> [String: MachineSnapshot] { [:] }
}
