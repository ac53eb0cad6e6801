internal import GameFlow
internal import Timers

/// A checked file with the values of its settings: everything that a `FileFlow` needs to run. All copies of a flow share one
/// program. When settings are set in a copy, this copy gets a program of its own.
final class FileProgram {
    let definition: FlowFileDefinition
    /// The definition of each state and the rules of its data, by the state's index.
    let states: [StateRules]
    /// The rules of the arguments of each event, by the event's index.
    private let argumentRules: [[FieldRules]]
    /// The values of the settings, in the order of `definition.settings`.
    let settings: [Value]
    /// What machines without a seed draw from; nil if the flow draws nothing.
    let drawScript: DrawScript?

    init(_ definition: FlowFileDefinition, settings: [Value]) {
        (self.definition, self.settings) = (definition, settings)
        drawScript = definition.draws ? DrawScript() : nil
        states = definition.states.enumerated().map { StateRules($1, $0) }
        argumentRules = definition.events.map { $0.arguments.map(FieldRules.init) }
    }

    /// Returns the index of the state with this name; nil if the file has no state with this name.
    func index(of state: String) -> Int? { states.firstIndex { $0.name.rawValue == state } }

    /// Returns the rows of a state for an event; nil if there are no such rows. `state` and `event` are indices.
    func rows(_ state: Int, event: Int) -> [RowDefinition]? {
        states[state].definition.eventRows[event]
    }

    /// Returns the rows of a state for the signal with this number; nil if there are none.
    func rows(_ state: Int, signal: UInt8) -> [RowDefinition]? {
        let rules = states[state]
        return Int(signal) < rules.definition.timerRows.count
            ? rules.definition.timerRows[Int(signal)] : nil
    }

    // MARK: the values that expressions read

    /// The values for the expressions of a row: the event's arguments, the settings, and the state as it is before the step.
    func context(_ state: FileState, _ arguments: [Value]) -> EvaluationContext {
        EvaluationContext(
            arguments: arguments, data: state.data, settings: settings, timers: state.timers,
            draws: drawScript.map { DrawSequence(state.chance, $0) })
    }

    /// The values for expressions that are evaluated when a state is entered: its new data and the settings.
    func context(entering data: [Value]) -> EvaluationContext {
        EvaluationContext(data: data, settings: settings)
    }

    /// Returns what the players' screen shows in a state.
    func screen(_ record: StateRecord) -> ShownScreen {
        var screen = ShownScreen()
        guard let index = index(of: record.state) else { return screen }
        let data = states[index].fields.map { field in
            record.data[field.wireName] ?? .null
        }
        let context = context(entering: data)
        for (key, value) in states[index].definition.screen.parts {
            switch try? value.evaluate(context) {
            case .string(let text)?: if !text.isEmpty { screen.members.append(Member(key, text)) }
            case nil: screen.failures.append(key)
            default: break
            }
        }
        return screen
    }

    // MARK: checks

    /// Throws if the value of an argument of an event is not allowed. The reason names the first such argument.
    func check(arguments values: [Value], of event: Int) throws(Reason) {
        if values.isEmpty { return }
        try check(
            values, argumentRules[event], EvaluationContext(arguments: values, settings: settings))
    }

    /// Throws if the value of a datum of a state is not allowed. The reason names the first datum whose value is not allowed.
    func check(data: [Value], of state: Int) throws(Reason) {
        if data.isEmpty { return }
        try check(data, states[state].fields, context(entering: data))
    }

    private func check(_ values: [Value], _ fields: [FieldRules], _ context: EvaluationContext)
        throws(Reason)
    {
        for index in fields.indices { try fields[index].check(values[index], context) }
    }

    /// Reads and checks the data with which a state is entered by its name.
    func read(_ data: Arguments, of state: Int) throws(Reason) -> [Value] {
        var values: [Value] = []
        for field in states[state].fields { values.append(try field.read(data)) }
        try check(data: values, of: state)
        return values
    }

    // MARK: entries

    /// Makes a state and sets its timers in their order. `remaining` lists the countdowns that do not start with their declared
    /// time. `timer` is the countdown's index among the state's timers, and `milliseconds` is the time with which the countdown
    /// starts. `chance` is the chance after the draws of the row.
    func makeState(
        _ index: Int, _ data: [Value], remaining: [(timer: Int, milliseconds: Int)],
        _ chance: Chance?, _ entry: Entry<FileFlow>
    ) throws(Reason) -> FileState {
        let rules = states[index]
        guard !rules.definition.timers.isEmpty else {
            return FileState(index, rules, data, [], chance)
        }
        let context = context(entering: data)
        var handles: [StateTimerHandle?] = []
        for (timerIndex, timer) in rules.definition.timers.enumerated() {
            let startTime = remaining.first { $0.timer == timerIndex }?.milliseconds
            let handle = try set(timer, startTime, context, entry)
            if rules.definition.usesTimers { handles.append(handle) }
        }
        if rules.hasMarks { try setMarks(rules.definition.timers, handles, context, entry) }
        return FileState(index, rules, data, handles, chance)
    }

    /// Sets the marks on the countdowns of the state that is being entered. `handles` are the handles of its timers.
    private func setMarks(
        _ timers: [TimerDefinition], _ handles: [StateTimerHandle?], _ context: EvaluationContext,
        _ entry: Entry<FileFlow>
    ) throws(Reason) {
        for mark in timers {
            guard let index = mark.countdown else { continue }
            let left: Int
            do throws(EvaluationError) { left = try mark.duration.integer(context) } catch {
                guard entry.isRestoring else { throw .invalid(mark.name, error.why) }
                continue
            }
            // The countdown is not set if its condition is false.
            let countdown: Countdown? =
                if case .countdown(let timer)? = handles[index] { timer } else { nil }
            entry.mark(
                left: Self.time(left, canBeNegative: timers[index].hasOvertime), of: countdown,
                FileSignal(rawValue: timers[index].signal), FileSignal(rawValue: mark.signal))
        }
    }

    /// Sets a timer of the state that is being entered. `startTime` is the time, in milliseconds, with which a countdown
    /// starts; nil for its declared time. Returns nil if the timer's condition is false.
    private func set(
        _ timer: TimerDefinition, _ startTime: Int?, _ context: EvaluationContext,
        _ entry: Entry<FileFlow>
    ) throws(Reason) -> StateTimerHandle? {
        var milliseconds: Int
        do throws(EvaluationError) {
            // When a state is restored, all its timers are set here, whatever their conditions. GameFlow then continues each
            // timer as it was recorded, and ends those without a record.
            if let condition = timer.condition, !entry.isRestoring,
                !(try condition.isTrue(context))
            {
                return nil
            }
            if timer.kind == .until { return .countdown(try setUntil(timer, context, entry)) }
            milliseconds = try timer.duration.integer(context)
        } catch {
            guard entry.isRestoring else { throw .invalid(timer.name, error.why) }
            // Any valid time will do here, because a restored timer gets its recorded time.
            milliseconds = TimerDefinition.shortestPeriod
        }
        let signal = FileSignal(rawValue: timer.signal)
        switch timer.kind {
        case .when, .until: return nil  // `setMarks` and `setUntil` set them
        case .stopwatch:
            return .stopwatch(
                entry.stopwatch(signal, timer.traits, afterRestart: timer.afterRestart))
        case .countdown where !timer.traits.isEmpty:
            return .countdown(
                entry.countdown(
                    Self.time(milliseconds),
                    remaining: startTime.map { Self.time($0, canBeNegative: timer.hasOvertime) },
                    signal, timer.traits, afterRestart: timer.afterRestart))
        case .countdown:
            return .countdown(
                entry.countdown(
                    Self.time(milliseconds), remaining: startTime.map { Self.time($0) }, signal,
                    afterRestart: timer.afterRestart))
        case .pendulum:
            if entry.isRestoring {
                milliseconds = max(milliseconds, TimerDefinition.shortestPeriod)
            }
            guard milliseconds >= TimerDefinition.shortestPeriod else {
                throw .invalid(
                    timer.name, "a period is at least \(TimerDefinition.shortestPeriod) ms")
            }
            let period = Self.time(milliseconds)
            return .pendulum(
                timer.traits.isEmpty
                    ? entry.pendulum(period, signal, afterRestart: timer.afterRestart)
                    : entry.pendulum(
                        period, signal, timer.traits, afterRestart: timer.afterRestart))
        }
    }

    /// Sets a timer that fires at a time of day.
    private func setUntil(
        _ timer: TimerDefinition, _ context: EvaluationContext, _ entry: Entry<FileFlow>
    ) throws(EvaluationError) -> Countdown {
        let value: Value
        do throws(EvaluationError) { value = try timer.duration.evaluate(context) } catch {
            // A restored timer gets its recorded time.
            guard entry.isRestoring else { throw error }
            value = .null
        }
        let time = value.text.flatMap { TimeOfDay($0) } ?? TimeOfDay(hour: 0)
        return entry.until(time, FileSignal(rawValue: timer.signal), timer.traits)
    }

    /// Converts a timer's time to a duration, and limits it to the range from zero, or minus ten years, to ten years.
    static func time(_ milliseconds: Int, canBeNegative: Bool = false) -> Duration {
        let longest = FieldDefinition.allowedDurations.upperBound
        return .milliseconds(min(max(milliseconds, canBeNegative ? -longest : 0), longest))
    }
}
