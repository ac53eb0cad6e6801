import GameFlow
import Testing
import Timers

/// Makes a machine that times out after two milliseconds, on a clock of its own. `timedOut` is called then.
private func makeMachine(
    isolation: isolated (any Actor)? = #isolation,
    _ timedOut: @escaping () -> Void = {}
) -> StateMachine<Bool, Bool> {
    StateMachine<Bool, Bool>(
        initial: { _ in false }, hooks: [Hook(did: { _, _, _ in timedOut() })],
        isolation: isolation,
        select: { _, event, entry throws(Reason) in
            if !event { _ = entry.countdown(.milliseconds(2), sends: true) }
            return .enter(event)
        })
}

extension StateMachine<Bool, Bool> {
    /// Starts the countdown, and waits until it has fired. Nothing touches the machine meanwhile.
    fileprivate func timeOut(isolation: isolated (any Actor)? = #isolation) async {
        let (fired, firing) = AsyncStream.makeStream(of: Void.self)
        let token = observe { _, isOver in if isOver { firing.yield() } }
        sendIfAccepted(false)
        for await _ in fired { break }
        withExtendedLifetime(token) {}
    }
}

@MainActor private final class Model {
    let constant = makeMachine { MainActor.assertIsolated() }
    lazy var lazily = makeMachine { MainActor.assertIsolated() }
    static let shared = makeMachine { MainActor.assertIsolated() }
    let assigned: StateMachine<Bool, Bool>

    init() { assigned = makeMachine { MainActor.assertIsolated() } }
}

private actor Host {
    let constant = makeMachine()
    let assigned: StateMachine<Bool, Bool>

    init() { assigned = makeMachine() }
    init(later: Void) async {
        await Task.yield()
        assigned = makeMachine()
    }

    func timeOutAll() async {
        let inMethod = makeMachine { [weak self] in self?.assertIsolated() }
        for machine in [constant, assigned, inMethod] {
            let token = machine.observe { [weak self] _, _ in self?.assertIsolated() }
            await machine.timeOut()
            withExtendedLifetime(token) {}
        }
    }
}

/// A machine without `on:` has a real clock of its own. Its timers fire on the actor that uses the machine, wherever it is made.
@Suite(.timeLimit(.minutes(1))) struct MachineActorTests {
    @Test @MainActor func `the timers of a model on the main actor fire`() async {
        let model = Model()
        for machine in [model.constant, model.lazily, Model.shared, model.assigned] {
            await machine.timeOut()
            #expect(machine.state)
        }
    }

    @Test func `the timers of an actor's machines fire on the actor`() async {
        await Host().timeOutAll()
        await Host(later: ()).timeOutAll()
    }

    @Test @MainActor func `the timers of an actor that is made on another actor fire`() async {
        await Host().timeOutAll()
    }

    @Test func `a machine that is made outside actors and given to one fires its timers there`()
        async
    {
        let machine = makeMachine { MainActor.assertIsolated() }
        await Self.timeOutOnMain(machine)
    }

    @MainActor private static func timeOutOnMain(_ machine: sending StateMachine<Bool, Bool>) async
    {
        await machine.timeOut()
        #expect(machine.state)
    }
}
