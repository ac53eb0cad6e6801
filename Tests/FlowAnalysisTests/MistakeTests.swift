import FlowAnalysis
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GameFlow

/// A flow into which a test puts one mistake, by setting one of the flags.
private struct FlowWithMistake: ValueFlow {
    var name = "slip"
    var initial: StateName { .a }

    enum StateName: String, CaseIterable { case a, b }
    enum State {
        case a
        case b(Int)
    }
    enum Event: FlowEvent {
        case go
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var needsInitialData = false
    var refusesSamples = false
    var describesBAsA = false
    var describesOtherData = false
    var throwsInEntry = false
    var hasTwoTimersOfOneSignal = false
    var postsOnEntry = false
    var postsForEver = false
    /// The only number in the state b with which the signal is handled; nil if it is handled with each number.
    var handlingNumber: Int?

    var events: [EventSchema<Event>] { [EventSchema(.go)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<FlowWithMistake> {
        switch (state, event) {
        case (_, .go) where postsForEver:
            enter {
                $0.post("go")
                return .a
            }
        case (.a, .go): enter(.b(42))
        case (.b(let number), .due(.over)) where number != handlingNumber ?? number:
            throw .noTransition
        case (.b, .go), (.b, .due(.over)): enter(.a)
        default: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard case .b = state else { return [] }
        let countdown = TimerDeclaration.countdown(.seconds(1), sends: Signal.over)
        return hasTwoTimersOfOneSignal
            ? [countdown, .pendulum(.seconds(3), sends: .over)] : [countdown]
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .a: StateDescription(.a)
        case .b(let number):
            StateDescription(
                describesBAsA ? .a : .b, [Member(describesOtherData ? "left" : "number", number)])
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<
        FlowWithMistake
    > {
        switch name {
        case .a:
            if needsInitialData { let _: Int = try data("tries") }
            return enter(.a)
        case .b:
            let number: Int = try data("number")
            if refusesSamples { throw .invalid("number", "not within 2…3") }
            if throwsInEntry { return enter { _ throws(Reason) in throw .invalid("b", "no") } }
            if postsOnEntry {
                return enter {
                    $0.post("go")
                    return .b(number)
                }
            }
            return enter(.b(number))
        }
    }

    static func with(_ change: (inout FlowWithMistake) -> Void) -> AnyFlow {
        var flow = FlowWithMistake()
        change(&flow)
        return AnyFlow(flow)
    }
}

/// A type of arguments that gives no samples.
private struct Unsampled: Argument {
    static var type: String { String.type }
    static var samples: [Unsampled] { [] }
    var value: Value { "" }
    init(_ value: Value) throws(ArgumentError) {}
}

private enum Wish {
    case one(wish: Unsampled)
    case two(number: Int, wish: Unsampled)
    case four(a: Int, b: Int, c: Int, wish: Unsampled)
}

/// Each mistake of a flow is reported, and the tools do not trap on the flow.
@Suite struct MistakeTests {
    @Test func `a type of arguments without samples is a mistake`() throws {
        let sentence =
            "the type Unsampled of an event's argument has no samples; it needs at least one"
        for schema in [EventSchema(Wish.one), EventSchema(Wish.two), EventSchema(Wish.four)] {
            #expect(schema.mistake == sentence)
        }
        #expect(EventSchema(Wish.one, samples: []).mistake == sentence)
    }

    @Test(arguments: ["", "two words", "nul\u{0}", String(repeating: "x", count: 65)])
    func `a name that no request can contain is a mistake`(_ name: String) {
        let mistakes = FlowWithMistake.with { $0.name = name }.mistakes
        #expect(mistakes.count == 1 && mistakes[0].contains("of a flow is empty, longer than 64"))
    }

    @Test func `a flow without defects has no mistakes`() {
        #expect(AnyFlow(FlowWithMistake()).mistakes == [])
        for flow in AnyFlow.shipped() { #expect(flow.mistakes == [], "\(flow.name)") }
    }

    @Test
    func `a signal handled with data that an event produces, but with no sample, is no mistake`() {
        // The event `go` enters `b` with the number 42.
        #expect(FlowWithMistake.with { $0.handlingNumber = 42 }.mistakes == [])
        #expect(
            FlowWithMistake.with { $0.handlingNumber = 43 }.mistakes
                == ["no state handles the signal over; add a row for it, or remove it"])
    }

    @Test func `an initial state that needs data is a mistake`() {
        let flow = FlowWithMistake.with { $0.needsInitialData = true }
        #expect(
            flow.mistakes.first == "it cannot begin in a, without data: invalid: tries: missing")
        expectNoTrap(flow)
    }

    @Test func `a state that refuses all samples is a mistake`() {
        let flow = FlowWithMistake.with { $0.refusesSamples = true }
        #expect(
            flow.mistakes
                == ["b refuses every sample of its data: invalid: number: not within 2…3"])
        expectNoTrap(flow)
    }

    @Test func `a state that is described as another state is a mistake`() {
        let flow = FlowWithMistake.with { $0.describesBAsA = true }
        #expect(flow.mistakes == ["b is described as a after it is entered"])
        expectNoTrap(flow)
    }

    @Test func `data that do not restore the state are a mistake`() {
        let flow = FlowWithMistake.with { $0.describesOtherData = true }
        #expect(
            flow.mistakes
                == [
                    "b cannot be entered again with its recorded data: invalid: left: unknown"
                ])
        expectNoTrap(flow)
    }

    @Test func `a state that cannot be constructed is a mistake`() {
        let flow = FlowWithMistake.with { $0.throwsInEntry = true }
        #expect(flow.mistakes == ["b cannot be entered: invalid: b: no"])
        expectNoTrap(flow)
    }

    @Test func `two timers with one signal are a mistake`() {
        let flow = FlowWithMistake.with { $0.hasTwoTimersOfOneSignal = true }
        #expect(flow.mistakes == ["b has two timers that send over"])
        expectNoTrap(flow)
    }

    @Test func `a state that posts an event is not a mistake`() {
        #expect(FlowWithMistake.with { $0.postsOnEntry = true }.mistakes == [])
    }

    @Test(.timeLimit(.minutes(1))) func `a flow that posts events for ever is stopped`() {
        // Each `go` enters `a`, which posts `go` again, so `b` is not reached.
        let flow = FlowWithMistake.with { $0.postsForEver = true }
        #expect(flow.mistakes == [])
        #expect(Lint(flow).findings.contains(.unreachableState("b")))
    }

    /// Expects that the survey and lint work on the flow, and that lint reports only its mistakes.
    private func expectNoTrap(_ flow: AnyFlow) {
        #expect(flow.survey.count == 2)
        #expect(Lint(flow).findings == flow.mistakes.map { .mistake($0) })
    }
}
