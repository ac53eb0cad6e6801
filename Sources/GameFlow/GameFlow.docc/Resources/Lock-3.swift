import GameFlow
import Timers

public struct Lock: DefaultFlow {
    public init() {}

    public enum StateName: String, CaseIterable { case closed, open, blocked }

    public enum State {
        case closed(tries: Int)
        case open(Countdown)
        case blocked(Countdown)
    }
    public enum Event: FlowEvent, Equatable, Sendable {
        case enter(code: String)
        case due(Signal)

        public enum Signal: UInt8, CaseIterable, Sendable { case timeUp }
        public enum Effect: String, FlowEffect { case unlock, lock, alarm }
    }

    public var events: [EventSchema<Event>] {
        [EventSchema(Event.enter, secretSamples: ["0451", "0000"])]
    }
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Lock> {
        switch (state, event) {
        case (.closed, .enter("0451")):
            enter(.unlock) { .open($0.countdown(.seconds(10), .timeUp)) }
        case (.closed(let tries), .enter) where tries < 2: keep(nil, .closed(tries: tries + 1))
        case (.closed, .enter): enter(.alarm) { .blocked($0.countdown(.minutes(5), .timeUp)) }
        case (.open, .due(.timeUp)), (.blocked, .due(.timeUp)):
            enter(.lock) { _ in .closed(tries: 0) }
        default: throw .noTransition
        }
    }
}
