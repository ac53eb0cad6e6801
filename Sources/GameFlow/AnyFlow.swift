public import JSON
public import Timers

/// One flow's functions with its types worked in, and what there is to tell of it.
///
/// A table of closures, made where the compiler sees the flow itself: behind an `any` or an overridden
/// method a generic machine would run unspecialised, at a third of the speed.
public final class AnyFlow {
    public let name: String
    public let events: [Event]
    public let signals: [String]
    public let initial: String
    public let finals: [String]
    public let stateNames: [String]

    /// An event that may come from outside.
    public struct Event: Sendable {
        public let name: String
        public let parameters: [Field]
        /// Arguments that are as good as any, a combination each.
        public let samples: [[Member]]
        /// Whether clients may not be shown the samples.
        public let hasSecretSamples: Bool
    }

    /// What a state is entered with.
    private struct Data {
        let fields: [Field]
        let samples: [[Member]]
        /// Why a sample was refused, if one was.
        let refusal: Reason?
    }

    private let data: [String: Data]
    private let makeMachine:
        (AnyFlow, TimerQueue, EventQueue, any MachineObserver, [any Hook], Unhandled, Bool) ->
            AnyMachine
    let send: (AnyMachine, Int, [Member], Source) throws(Reason) -> Void
    let due: (AnyMachine, UInt8, Int) throws(Reason) -> Void
    /// Enters a state by its name, with data that are found to be its own.
    let put: (AnyMachine, String, [Member], Step.Kind, Source) throws(Reason) -> Void
    let accepts: (AnyMachine) -> [String]
    let deferredCount: (AnyMachine) -> Int
    let waiting: (AnyMachine) -> [MachineSnapshot.Deferred]
    let restore: (AnyMachine, MachineSnapshot) throws(Reason) -> Void
    /// What there is, as the flow's real selector has it; asked once. See `FlowSurvey`.
    public private(set) lazy var survey = FlowSurvey(self).states
    /// What its author has to put right before anybody plays it, a sentence each; asked once.
    public private(set) lazy var mistakes = FlowMistakes(
        self, refusals: data.compactMapValues(\.refusal)
    ).all

    /// The table of one flow. Asks each of the flow's states what its data is.
    public init<F: Flow>(_ rules: F) {
        let forms = F.events
        let signals = F.Signal.allCases.map { "\($0)" }
        let happenings = forms.map { Happening($0.name) }
        let dues = signals.map { Happening($0) }
        let places = PlainPlaces<F>()
        let data = Dictionary(
            uniqueKeysWithValues: F.StateName.allCases.map {
                ($0.rawValue, Self.data(of: $0, rules))
            })
        name = F.name
        events = forms.map {
            Event(
                name: $0.name, parameters: $0.parameters, samples: $0.samples.map(\.arguments),
                hasSecretSamples: $0.hasSecretSamples)
        }
        self.signals = signals
        initial = F.initial.rawValue
        finals = F.finals.map(\.rawValue)
        stateNames = F.StateName.allCases.map(\.rawValue)
        self.data = data
        makeMachine = {
            Machine(
                rules, places, $0, on: $1, $2, observer: $3, hooks: $4, unhandled: $5,
                isRehearsal: $6)
        }
        send = { machine, index, arguments, source throws(Reason) in
            let event = try forms[index].read(arguments)
            let happening =
                arguments.isEmpty ? happenings[index] : Happening(forms[index].name, arguments)
            try unsafeDowncast(machine, to: Machine<F>.self).take(event, happening, source)
        }
        due = { machine, tag, missed throws(Reason) in
            guard let signal = F.Signal(rawValue: tag) else { return }
            try unsafeDowncast(machine, to: Machine<F>.self)
                .take(.due(signal), dues[Int(tag)], .timer, missed: missed)
        }
        put = { machine, state, members, kind, source throws(Reason) in
            guard let name = F.StateName(rawValue: state) else { throw .unknownState }
            try members.only(data[state]?.fields ?? [])
            try unsafeDowncast(machine, to: Machine<F>.self)
                .put(name, Arguments(members), kind, source)
        }
        accepts = { machine in
            let machine = unsafeDowncast(machine, to: Machine<F>.self)
            return forms.filter { $0.samples.contains { machine.takes($0.event) } }.map(\.name)
        }
        deferredCount = { unsafeDowncast($0, to: Machine<F>.self).waitingCount }
        waiting = { unsafeDowncast($0, to: Machine<F>.self).waitingRecords }
        restore = { machine, snapshot throws(Reason) in
            guard let name = F.StateName(rawValue: snapshot.place.state) else {
                throw .unknownState
            }
            try snapshot.place.data.only(data[snapshot.place.state]?.fields ?? [])
            try unsafeDowncast(machine, to: Machine<F>.self).resume(name, snapshot) {
                (event) throws(Reason) in
                guard let form = forms.first(where: { $0.name == event.name }) else {
                    throw .unknownEvent
                }
                return try form.read(event.arguments)
            }
        }
    }

    private static func data<F: Flow>(of state: F.StateName, _ rules: F) -> Data {
        let (samples, fields, refusal) = Sampler.samples { data throws(Reason) in
            _ = try rules.entering(state, data)
        }
        return Data(fields: fields, samples: samples, refusal: refusal)
    }

    // MARK: for the rooms above

    /// A machine of this flow that is in no state yet. Its observer must outlive it. `hooks` come
    /// behind the flow's own; of a rehearsal, in which somebody only tries what would become of
    /// something, the flow's own hear nothing.
    public func machine(
        on timerQueue: TimerQueue, _ queue: EventQueue, observer: any MachineObserver,
        hooks: [any Hook] = [], unhandled: Unhandled = .throw, isRehearsal: Bool = false
    ) -> AnyMachine {
        makeMachine(self, timerQueue, queue, observer, hooks, unhandled, isRehearsal)
    }

    /// The event of that name; refused if it is a signal, which is for timers alone, or no event.
    public func event(_ name: String) throws(Reason) -> EventIndex {
        // A dozen names at most: looking through them is faster than hashing one.
        if let index = events.firstIndex(where: { $0.name == name }) {
            return EventIndex(index: index)
        }
        throw signals.contains(name) ? .forbidden : .unknownEvent
    }

    /// The data of a state, by its name.
    public func data(of state: String) -> [Field] { data[state]?.fields ?? [] }

    /// Data that a state can be entered with, a combination of samples each.
    public func dataSamples(of state: String) -> [[Member]] { data[state]?.samples ?? [] }
}

/// An event of one flow, by its place in the flow's order; only `AnyFlow.event(_:)` makes one.
public struct EventIndex {
    let index: Int
}
