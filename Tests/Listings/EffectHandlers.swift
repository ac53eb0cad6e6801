import GameFlow
import Timers

nonisolated struct KYC: ValueFlow {
    enum StateName: String, CaseIterable, Sendable { case start, uploading }
    typealias State = StateName
    enum Event: FlowEvent, Equatable, Sendable {
        case begin
        case uploaded(documents: Int)

        enum Effect: FlowEffect, Equatable, Sendable {
            case upload(documents: Int, attempt: Int)
            case showHome
        }
    }

    var events: [EventSchema<Event>] {
        EventSchema.plain(.begin) + [EventSchema(Event.uploaded)]
    }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<KYC> {
        guard event == .begin else { throw .noTransition }
        return enter(.upload(documents: 1, attempt: 1), .uploading)
    }
}

nonisolated func upload(_ documents: Int, _ attempt: Int) async -> KYC.Event? {
    .uploaded(documents: documents)
}

let machine = StateMachine(KYC(), on: VirtualClock())

// block 1
