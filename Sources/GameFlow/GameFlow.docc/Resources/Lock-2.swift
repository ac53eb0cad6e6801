import GameFlow
import Timers

public struct Lock {
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
}
