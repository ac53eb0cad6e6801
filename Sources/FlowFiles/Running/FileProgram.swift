internal import GameFlow
internal import Timers

/// A checked file with the values of its settings: what the sessions that play it share.
final class FileProgram {
    let definition: FlowDefinition
    let names: [FileStateName]
    private let settings: [Value]
    /// The data's fields of each state, as clients see them.
    private let fields: [[Field]]

    init(_ definition: FlowDefinition, settings: [Value]) {
        (self.definition, self.settings) = (definition, settings)
        names = definition.states.enumerated().map { FileStateName($1.name, $0) }
        fields = definition.states.map { $0.data.map(\.wireField) }
    }

    func index(of state: String) -> Int? { definition.states.firstIndex { $0.name == state } }

    func rows(_ state: Int, event: Int) -> [RowDefinition]? {
        definition.states[state].eventRows[event]
    }

    func rows(_ state: Int, signal: UInt8) -> [RowDefinition]? {
        let rows = definition.states[state].timerRows
        return Int(signal) < rows.count ? rows[Int(signal)] : nil
    }

    // MARK: what expressions see

    /// What the expressions of a row see: the event and the session before the step.
    func situation(_ state: FileState, _ arguments: [Value]) -> Situation {
        Situation(
            arguments: arguments, data: state.data, settings: settings, timers: state.timers)
    }

    /// What expressions see that are evaluated on an entry: the new data and the settings.
    func situation(entering data: [Value]) -> Situation {
        Situation(data: data, settings: settings)
    }

    // MARK: checks

    /// Throws if an argument of an event is not allowed, in the order of the arguments.
    func check(arguments: [Value], of event: Int) throws(Reason) {
        guard !arguments.isEmpty else { return }
        let fields = definition.events[event].arguments
        let situation = Situation(arguments: arguments, settings: settings)
        for place in fields.indices { try check(fields[place], arguments[place], situation) }
    }

    /// Throws if a datum of a state is not allowed.
    func check(data: [Value], of state: Int) throws(Reason) {
        guard !data.isEmpty else { return }
        let fields = definition.states[state].data
        let situation = situation(entering: data)
        for place in fields.indices { try check(fields[place], data[place], situation) }
    }

    private func check(_ field: FieldDefinition, _ value: Value, _ situation: Situation)
        throws(Reason)
    {
        if let why = field.violation(value) { throw .invalid(field.wireName, why) }
        guard let condition = field.condition, value != .null else { return }
        let holds: Bool
        do { holds = try condition.expression.isTrue(situation) } catch {
            throw .invalid(field.wireName, error.why)
        }
        if !holds { throw .invalid(field.wireName, condition.why) }
    }

    /// Returns the data with which a state is entered by its name, checked.
    func read(_ data: Arguments, of state: Int) throws(Reason) -> [Value] {
        let definitions = definition.states[state].data
        var values: [Value] = []
        for (place, field) in fields[state].enumerated() {
            let definition = definitions[place]
            guard let value = data.value(field, samples: definition.samples) else {
                guard
                    let other = definition.defaultValue
                        ?? (definition.type.isOptional ? .null : nil)
                else { throw .invalid(field.name, "missing") }
                values.append(other)
                continue
            }
            do { values.append(try definition.read(value)) } catch {
                throw .invalid(field.name, error.why)
            }
        }
        try check(data: values, of: state)
        return values
    }

    // MARK: entries

    /// Makes a state and sets its timers in their order. `remaining` has the milliseconds that countdowns start with, by
    /// their places.
    func makeState(
        _ index: Int, _ data: [Value], remaining: [(timer: Int, milliseconds: Int)],
        _ entry: Entry<FileFlow>
    ) throws(Reason) -> FileState {
        let state = definition.states[index]
        guard !state.timers.isEmpty else { return FileState(index, state.data, data, []) }
        let situation = situation(entering: data)
        var handles: [StateTimerHandle?] = []
        for (place, timer) in state.timers.enumerated() {
            let left = remaining.first { $0.timer == place }?.milliseconds
            let handle = try set(timer, left, situation, entry)
            if state.usesTimers { handles.append(handle) }
        }
        return FileState(index, state.data, data, handles)
    }

    private func set(
        _ timer: TimerDefinition, _ left: Int?, _ situation: Situation, _ entry: Entry<FileFlow>
    ) throws(Reason) -> StateTimerHandle? {
        var milliseconds: Int
        do throws(EvaluationError) {
            // A restored timer was set by the condition of an earlier instant and has its recorded time.
            if let condition = timer.condition, !entry.isRestoring,
                !(try condition.isTrue(situation))
            {
                return nil
            }
            milliseconds = try timer.duration.integer(situation)
        } catch {
            guard entry.isRestoring else { throw .invalid(timer.name, error.why) }
            milliseconds = TimerDefinition.shortestPeriod
        }
        let signal = FileSignal(rawValue: timer.signal)
        switch timer.kind {
        case .countdown:
            return .countdown(
                entry.countdown(
                    Self.time(milliseconds), remaining: left.map(Self.time), signal,
                    afterRestart: timer.afterRestart))
        case .pendulum:
            if entry.isRestoring {
                milliseconds = max(milliseconds, TimerDefinition.shortestPeriod)
            }
            guard milliseconds >= TimerDefinition.shortestPeriod else {
                throw .invalid(
                    timer.name, "a period of less than \(TimerDefinition.shortestPeriod) ms")
            }
            return .pendulum(
                entry.pendulum(
                    Self.time(milliseconds), signal, afterRestart: timer.afterRestart))
        }
    }

    /// Returns a timer's time: not negative, and at most the longest.
    private static func time(_ milliseconds: Int) -> Duration {
        .milliseconds(min(max(milliseconds, 0), FieldDefinition.durations.upperBound))
    }
}
