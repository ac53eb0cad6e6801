import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// A callback may send an event to the machine that calls it. The machine posts the event, and processes it after the
/// present step.
@Suite struct ReentryTests {
    private enum Lamp: String, CaseIterable { case off, on, broken }
    private enum Press: Hashable { case turnOn, turnOff, hit, late }

    private typealias Machine = StateMachine<Lamp, Press>

    /// A machine with every kind of callback. The callback that `pendingSend` names sends its event once, so that a test ends.
    private final class Room {
        let clock = VirtualClock()
        private(set) var lamp: Machine!
        /// The event to send, and the name of the callback that sends it; nil after the event was sent.
        var pendingSend: (callback: String, event: Press)?
        private(set) var called: Set<String> = []
        /// The state that `send` returned inside the callback.
        private(set) var stateReturned: Lamp?
        private(set) var changes: [Lamp] = []
        private(set) var refused: [Reason] = []
        private var tokens: [ObservationToken] = []

        init() {
            lamp = Machine(
                initial: .off, on: clock,
                reduce: { [unowned self] state, event in
                    call("reduce")
                    switch (state, event) {
                    case (.off, .turnOn), (.on, .turnOn): return .on
                    case (.on, .turnOff), (.on, .late): return .off
                    case (_, .hit): return .broken
                    default: return nil
                    }
                },
                validators: [
                    { [unowned self] _, _, _ in
                        call("validator")
                        return true
                    }
                ],
                hooks: [
                    Hook(
                        will: { [unowned self] _, _, _ in call("will") },
                        did: { [unowned self] _, _, to in
                            changes.append(to)
                            call("did")
                        })
                ])
            lamp.timers { [unowned self] state in
                call("timers")
                return state == .on ? [.countdown(.seconds(10), sends: .late)] : []
            }
            lamp.didRefuse = { [unowned self] refusal in
                refused.append(refusal.reason)
                call("didRefuse")
            }
            tokens.append(lamp.observe { [unowned self] _, _ in call("observe") })
            let isOn = lamp.derive { [unowned self] state in
                call("derive")
                return state == .on
            }
            tokens.append(isOn.observe { [unowned self] _, _ in call("derived value") })
            called = []
        }

        private func call(_ callback: String) {
            called.insert(callback)
            guard let pendingSend, pendingSend.callback == callback else { return }
            self.pendingSend = nil
            stateReturned = try? lamp.send(pendingSend.event)
        }

        func end() {
            tokens = []
            lamp = nil
        }
    }

    private static let callbacks = [
        "reduce", "validator", "will", "did", "timers", "observe", "derive", "derived value",
    ]

    @Test(arguments: callbacks)
    func `an event that a callback sends runs after the step`(_ callback: String) throws {
        let room = Room()
        room.pendingSend = (callback, .hit)
        #expect(try room.lamp.send(.turnOn) == .broken)
        #expect(room.changes == [.on, .broken])
        #expect(room.stateReturned == .on || room.stateReturned == .off)
        #expect(room.clock.pending.isEmpty, "the timer of the state that was left is still set")
        room.end()
    }

    // In this test the lamp is off and then broken. The derived value `isOn` stays false, so its observer is not called.
    @Test(arguments: callbacks.filter { $0 != "derived value" })
    func `a refused event of a callback goes to didRefuse`(_ callback: String) throws {
        let room = Room()
        room.pendingSend = (callback, .turnOff)
        // Refused, because the lamp is broken when the event runs.
        #expect(try room.lamp.send(.hit) == .broken)
        #expect(room.refused == [.noTransition])
        room.end()
    }

    @Test func `a refusal has the state that refused, also if a posted event leaves it`() throws {
        weak var posting: Machine?
        let lamp = Machine(
            initial: .off, on: VirtualClock(),
            reduce: { _, event in event == .hit ? .broken : .on },
            hooks: [
                Hook(will: { _, event, _ in
                    guard event == .late else { return }
                    posting?.post(.hit)
                    throw HookError("too late")
                })
            ])
        posting = lamp
        try lamp.send(.turnOn)
        do throws(Refusal<Lamp, Press>) {
            try lamp.send(.late)
            Issue.record("it was accepted")
        } catch {
            #expect(error.state == .on && error.last?.event == .turnOn)
        }
        #expect(lamp.state == .broken)
    }

    @Test func `an event that didRefuse sends runs after the refused one`() throws {
        let room = Room()
        room.pendingSend = ("didRefuse", .hit)
        room.lamp.post(.turnOff)
        #expect(room.lamp.state == .broken)
        #expect(room.refused == [.noTransition])
        room.end()
    }

    @Test(arguments: callbacks)
    func `an event that a callback sends during a timer's event runs after the timer's event`(
        _ callback: String
    ) throws {
        let room = Room()
        try room.lamp.send(.turnOn)
        room.pendingSend = (callback, .turnOn)
        room.clock.advance(by: .seconds(10))
        #expect(room.changes == [.on, .off, .on])
        #expect(room.lamp.timers.map(\.remaining) == [.seconds(10)])
        room.end()
    }

    @Test(arguments: ["reduce", "validator"])
    func `an event that a callback of can(…) sends runs after the call of can(…)`(
        _ callback: String
    ) throws {
        let room = Room()
        room.pendingSend = (callback, .hit)
        #expect(room.lamp.can(.turnOn))
        #expect(room.lamp.state == .broken)
        #expect(room.stateReturned == .off)
        room.end()
    }

    @Test func `an event that the timers callback sends runs after the callback`() throws {
        let lamp = Machine(initial: .off, on: VirtualClock()) { state, event in
            state = event == .hit ? .broken : .on
        }
        var askedStates: [Lamp] = []
        lamp.timers { [unowned lamp] state in
            askedStates.append(state)
            if state == .off { _ = try? lamp.send(.hit) }
            return []
        }
        #expect(lamp.state == .broken)
        #expect(askedStates == [.off, .broken])
    }

    @Test(arguments: ["will", "did", "observe", "timers"])
    func `a state that a callback enters with start is entered after the step`(_ callback: String)
        throws
    {
        let clock = VirtualClock()
        var startsLeft = 1
        var lamp: Machine?
        let callbackRuns = { (name: String) in
            guard name == callback, startsLeft > 0, let lamp else { return }
            startsLeft -= 1
            lamp.start(at: .broken)
        }
        let machine = Machine(
            initial: .off, on: clock, reduce: { _, event in event == .turnOn ? .on : nil },
            hooks: [
                Hook(
                    will: { _, _, _ in callbackRuns("will") },
                    did: { _, _, _ in callbackRuns("did") })
            ])
        machine.timers { state in
            callbackRuns("timers")
            return state == .on ? [.countdown(.seconds(10), sends: .late)] : []
        }
        let token = machine.observe { old, _ in if old != nil { callbackRuns("observe") } }
        lamp = machine
        try machine.send(.turnOn)
        #expect(machine.state == .broken)
        #expect(clock.pending.isEmpty)
        token.end()
        lamp = nil
    }

    @Test func `a state that a delegate enters inside its methods is entered after the step`()
        throws
    {
        final class Delegate: MachineDelegate {
            unowned var lamp: StateMachine<Lamp, Lamp>!
            var askedStates: [Lamp] = []
            func shouldTransition(from: Lamp, to: Lamp) -> Bool {
                askedStates.append(to)
                if to == .on, askedStates.count == 1 { lamp.state = .broken }
                return true
            }
            func didTransition(from: Lamp, to: Lamp) {
                if to == .broken { lamp.state = .off }
            }
        }
        let delegate = Delegate()
        let lamp = StateMachine(initial: .off, delegate: delegate, on: VirtualClock())
        delegate.lamp = lamp
        lamp.state = .on
        #expect(lamp.state == .off)
        #expect(delegate.askedStates == [.on, .broken, .off])
    }

    /// Calls `work` when it is released.
    private final class Guest {
        let work: () -> Void
        init(_ work: @escaping () -> Void) { self.work = work }
        deinit { work() }
    }

    @Test func `an event that is sent when a posted event is released runs, too`() {
        typealias Door = StateMachine<Int, Guest?>
        let door = Door(
            initial: 0, on: VirtualClock(),
            reduce: { state, guest in guest == nil ? state + 1 : nil })
        let token = door.observe { [unowned door] _, new in
            if new == 1 { door.post(Guest { [unowned door] in door.post(nil) }) }
        }
        door.post(nil)
        #expect(door.state == 2)
        withExtendedLifetime(token) {}
    }

    @Test func `a callback that always sends is stopped at the limit of posted events`() throws {
        let lamp = Machine(initial: .off, on: VirtualClock(), reduce: { _, _ in .on })
        var refused: [Reason] = []
        lamp.didRefuse = { refused.append($0.reason) }
        var changes = 0
        let token = lamp.observe { [unowned lamp] old, _ in
            changes += 1
            if old != nil { _ = try? lamp.send(.turnOn) }
        }
        try lamp.send(.turnOn)
        #expect(refused == [.tooManyPosts])
        // 1 call with the present state, 1 for the event of the test, and 1 for each event of the callback.
        #expect(changes == 1 + 1 + EventQueue.postLimit)
        token.end()
    }
}
