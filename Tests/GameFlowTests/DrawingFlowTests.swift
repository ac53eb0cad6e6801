import GameFlow
import Testing
import Timers

/// A flow that draws: dice, and cards that are dealt.
private struct Dice: Flow {
    enum State {
        case table(last: Int, hand: [Int])
        case lucky
    }
    enum StateName: String, CaseIterable { case table, lucky }
    enum Event: FlowEvent, CaseIterable { case roll, deal, gamble, fail, all }

    var drawsRandomValues: Bool { true }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Dice> {
        switch (state, event) {
        case (.table(_, let hand), .roll):
            enter { entry throws(Reason) in
                .table(last: try entry.random(in: 1...6), hand: hand)
            }
        case (.table(let last, _), .deal):
            enter { entry throws(Reason) in
                .table(last: last, hand: try entry.shuffled([10, 20, 30, 40, 50]))
            }
        case (.table(let last, let hand), .gamble):
            enter { entry throws(Reason) in
                try entry.random(in: 1...2) == 2 ? .lucky : .table(last: last, hand: hand)
            }
        case (.table, .fail):
            enter { entry throws(Reason) in
                throw .invalid("number", "\(try entry.random(in: 1...6)) is refused")
            }
        case (.table(_, let hand), .all):
            enter { entry throws(Reason) in
                .table(last: try entry.random(in: .min ... .max), hand: hand)
            }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .table(let last, let hand):
            StateDescription(
                .table,
                [Member("last", last), Member("hand", .array(hand.map { .int($0) }))])
        case .lucky: StateDescription(.lucky)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Dice> {
        switch name {
        case .table:
            let last: Int = try data.optional("last") ?? 0
            return enter { _ in .table(last: last, hand: []) }
        case .lucky: return enter { _ in .lucky }
        }
    }
}

/// A flow that draws without saying so.
private struct SecretDice: Flow {
    enum State: String, CaseIterable { case one, two }
    typealias StateName = State
    enum Event: FlowEvent, CaseIterable { case roll }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<SecretDice> {
        enter { entry throws(Reason) in try entry.random(in: 1...2) == 1 ? .one : .two }
    }

    func entering(_ name: State, _ data: Arguments) throws(Reason) -> Transition<SecretDice> {
        enter { _ in name }
    }
}

/// Random values in flows that are written in Swift. `Entry.random(in:)` draws the same values as `random` in a flow file.
@Suite struct DrawingFlowTests {
    private let machine = StateMachine(Dice(), on: VirtualClock())

    private init() { machine.setSeed(1) }

    private var last: Int? { if case .table(let last, _) = machine.state { last } else { nil } }

    @Test func `a machine draws the values of its seed`() throws {
        let rolls = try (0..<10).map { _ in
            try machine.send(.roll)
            return last
        }
        #expect(rolls == [5, 4, 5, 3, 3, 4, 5, 5, 5, 4])
        #expect(machine.chance == Chance(seed: 1, drawn: 10))
    }

    @Test func `elements are shuffled as the rows of a table`() throws {
        try machine.send(.deal)
        guard case .table(_, hand: [30, 50, 40, 20, 10]) = machine.state else {
            Issue.record("\(machine.state)")
            return
        }
        #expect(machine.chance?.drawn == 4)
    }

    @Test func `the range of all numbers can be drawn from`() throws {
        try machine.send(.all)
        #expect(last == .min &+ Int(truncatingIfNeeded: 10_905_525_725_756_348_110 as UInt64))
    }

    @Test func `a refused transition, and the question whether an event is possible, draw nothing`()
        throws
    {
        #expect(machine.sendIfAccepted(.fail) == nil)
        #expect(machine.can(.roll))
        #expect(machine.chance == Chance(seed: 1))
        try machine.send(.roll)
        #expect(last == 5)
        #expect(machine.sendIfAccepted(.fail) == nil)
        #expect(machine.chance == Chance(seed: 1, drawn: 1))
    }

    @Test func `machines without a seed have different ones`() {
        let other = StateMachine(Dice(), on: VirtualClock())
        let third = StateMachine(Dice(), on: VirtualClock())
        #expect(other.chance != nil && other.chance != third.chance)
    }

    @Test func `the survey sees each outcome of a draw`() throws {
        let table = AnyFlow(Dice()).survey[0]
        let gamble = try #require(table.results.first { $0.on == "gamble" })
        #expect(
            gamble.outcomes == [
                .enters("table", effects: []), .enters("lucky", effects: []),
            ])
    }

    @Test func `a flow that does not say that it draws is refused its draws`() {
        let machine = StateMachine(SecretDice(), on: VirtualClock())
        #expect(machine.chance == nil)
        #expect {
            try machine.send(.roll)
        } throws: {
            "\($0)".contains("the flow secretDice does not say that it draws values")
        }
    }
}
