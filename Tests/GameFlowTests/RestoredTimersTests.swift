import GameFlow
import TestSupport
import Testing
import Timers

@Suite struct RestoredTimersTests {
    /// After a restart, only timers that keep their deadlines continue as if there had been none. If the daemon was not down, all
    /// do.
    @Test(arguments: seeds(150, long: 1000), [true, false])
    func `timers of every kind continue after a restart at any instant as without one`(
        _ seed: UInt64, _ wasDown: Bool
    ) throws {
        var random = SeededRandom(seed)
        let flow = AnyFlow(
            EveryTimerFlow(&random, policies: wasDown ? [.deadline] : AfterRestart.allCases))
        let steady = try WaitingMachine(flow)
        var restored = try WaitingMachine(flow)
        for step in 0..<80 {
            let about = "seed \(seed), wasDown \(wasDown), step \(step)"
            if random.below(3) == 0 {
                restored = try WaitingMachine(restoring: restored, wasDown: wasDown)
                try #require(steady.summary == restored.summary, "\(about): a restart")
            }
            let action = Action(&random, steady)
            try #require(action.act(steady) == action.act(restored), "\(about): \(action)")
            try #require(steady.summary == restored.summary, "\(about): \(action)")
        }
    }

    @Test(arguments: seeds(40))
    func `a pendulum that was started again while its beat waits keeps its new beats`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let machine = try WaitingMachine(AnyFlow(EveryTimerFlow(&random, policies: [.deadline])))
        guard
            let pendulum = machine.machine.liveTimers.first(where: {
                $0.info.isPendulum && !$0.info.isPaused
            })
        else { return }
        machine.time.advance(by: pendulum.info.total + .milliseconds(500))
        try #require(machine.waiting.contains { $0.tag == pendulum.info.tag }, "seed \(seed)")
        #expect(machine.operate(TimerOperation(pendulum.fires, .restart)))
        let restored = try WaitingMachine(restoring: machine, wasDown: false)
        let next = restored.machine.timer(pendulum.fires)?.info.remaining
        #expect(next == pendulum.info.total, "seed \(seed)")
    }

    /// What happens to both machines.
    private enum Action {
        case send(String)
        case operate(TimerOperation)
        case handle
        case advance(by: Duration)
        case advanceToNext

        init(_ random: inout SeededRandom, _ machine: WaitingMachine) {
            // A further beat of a pendulum whose beat waits would be missed after a restart.
            guard machine.waiting.isEmpty else {
                self = random.below(3) == 0 ? .send("note") : .handle
                return
            }
            switch random.below(10) {
            case 0: self = .send(random.pick(["note", "go", "back"]))
            case 1, 2: self = .operate(Self.operation(&random))
            case 3, 4:
                self = .advance(by: .milliseconds(random.pick([1, 500, 1000, 2500])))
            default: self = .advanceToNext
            }
        }

        private static func operation(_ random: inout SeededRandom) -> TimerOperation {
            let name = random.pick([TimerOperation.all, "a", "b", "c", "d", "e"])
            let action = random.pick(
                name == TimerOperation.all
                    ? [.pause, .resume] : TimerOperation.Action.allCases)
            let by: Duration? = action.needsDuration ? .seconds(random.pick([0, 1, 3, 7])) : nil
            return TimerOperation(name, action, by: by)
        }

        /// Returns whether something was changed.
        func act(_ machine: WaitingMachine) -> Bool {
            switch self {
            case .send(let event): return machine.send(event)
            case .operate(let operation): return machine.operate(operation)
            case .handle: machine.handle()
            case .advance(let time): return !machine.time.advance(by: time).fired.isEmpty
            case .advanceToNext: return !machine.time.advanceToNext().fired.isEmpty
            }
            return true
        }
    }
}
