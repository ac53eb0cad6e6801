internal import GameFlow
internal import Timers

/// Makes transitions from rows, for `FileFlow.select`. To make a transition, the row's expressions are evaluated with an
/// `EvaluationContext`: the event's arguments, the state's data, the settings and the timers. The machine changes only when
/// GameFlow calls the closure of the transition.
extension FileProgram {
    /// Returns the transition of the first row whose condition is true. Throws `noTransition` if no condition is true, and
    /// `invalid` if a value of the row cannot be evaluated or is not allowed.
    func transition(_ rows: [RowDefinition], _ context: EvaluationContext, _ state: FileState)
        throws(Reason) -> FlowTransition<FileFlow>
    {
        switch try action(rows, context) {
        case .stay: return .keep
        case .defer: return .deferred
        case .refuse: throw .noTransition
        case .invalid(let argument?, let why):
            throw .invalid(argument, ofFlow: try evaluate(why, argument, context).text ?? "")
        case .invalid(nil, let why):
            // A reason without an argument is about the event as a whole.
            throw .invalid(ofFlow: try evaluate(why, "", context).text ?? "")
        case .enter(let plan): return try enter(plan, context)
        case .back: return .back
        case .change(let plan): return try change(plan, context, state)
        }
    }

    /// Returns the action of the first row whose condition is true. Throws `noTransition` without such a row.
    private func action(_ rows: [RowDefinition], _ context: EvaluationContext) throws(Reason)
        -> RowAction
    {
        for row in rows {
            if let condition = row.condition {
                let isTrue: Bool
                do { isTrue = try condition.isTrue(context) } catch {
                    throw .invalid("if", error.why)  // the row's key `if`
                }
                guard isTrue else { continue }
            }
            return row.action
        }
        throw .noTransition
    }

    /// Returns the transition that goes back to a state with its data of then, after `transition` has returned `back`.
    func returning(to place: StateRecord, _ rows: [RowDefinition], _ context: EvaluationContext)
        throws(Reason) -> FlowTransition<FileFlow>
    {
        guard case .back(let plan) = try action(rows, context),
            let entry = plan.entries.first(where: {
                states[$0.state].name.rawValue == place.state
            })
        else { throw .noTransition }
        return try enter(entry, context, read(Arguments(recorded: place.data), of: entry.state))
    }

    /// Evaluates an expression. If the evaluation fails, the event is refused. The refusal names `subject`: the datum, the
    /// argument or the timer that would get the value.
    private func evaluate(
        _ expression: CompiledExpression, _ subject: @autoclosure () -> String,
        _ context: EvaluationContext
    )
        throws(Reason) -> Value
    {
        do { return try expression.evaluate(context) } catch {
            throw .invalid(subject(), error.why)
        }
    }

    /// Evaluates an expression whose type is a duration, and returns the duration in milliseconds. As for `evaluate`, a refusal
    /// names `subject`.
    private func milliseconds(
        _ expression: CompiledExpression, _ subject: @autoclosure () -> String,
        _ context: EvaluationContext
    )
        throws(Reason) -> Int
    {
        guard case .int(let number) = try evaluate(expression, subject(), context) else {
            return 0
        }
        return number
    }

    // MARK: entering

    /// Returns the transition that enters the state of a plan. `old` are the data of then, for a row that goes back.
    private func enter(
        _ plan: EntryPlan, _ context: EvaluationContext, _ old: [Value]? = nil
    ) throws(Reason) -> FlowTransition<FileFlow> {
        if !plan.draws.isEmpty { context.draws?.evaluate(plan.draws, context) }
        let rules = states[plan.state]
        var data: [Value] = []
        data.reserveCapacity(plan.data.count)
        for (index, value) in plan.data.enumerated() {
            if let old, plan.changed?.contains(index) != true {
                data.append(old[index])
            } else {
                data.append(try evaluate(value, rules.fields[index].wireName, context))
            }
        }
        try check(data: data, of: plan.state)
        var remaining: [(timer: Int, milliseconds: Int)] = []
        for (timer, time) in plan.remaining {
            let name = rules.definition.timers[timer].name
            remaining.append((timer, try milliseconds(time, name, context)))
        }
        var effects = try self.effects(plan.exitEffects, context)
        if rules.hasEntryEffects {
            effects += try self.effects(
                rules.definition.entryEffects, self.context(entering: data))
        }
        effects += try self.effects(plan.effects, context)
        let post = try self.post(plan.post, context)
        return FlowTransition(enters: true, effects: effects) {
            [remaining, data, chance = context.draws?.chance, isReturn = old != nil] entry
                throws(Reason) in
            let state = try self.makeState(plan.state, data, remaining: remaining, chance, entry)
            if isReturn { self.setLeft(remaining, rules.definition, entry) }
            if let post { entry.post(post.name, post.arguments) }
            return state
        }
    }

    /// Sets what countdowns start with that a row gives when it goes back.
    private func setLeft(
        _ remaining: [(timer: Int, milliseconds: Int)], _ state: StateDefinition,
        _ entry: Entry<FileFlow>
    ) {
        for (index, milliseconds) in remaining {
            let timer = state.timers[index]
            entry.setLeft(
                Self.time(milliseconds, canBeNegative: timer.hasOvertime),
                of: FileSignal(rawValue: timer.signal))
        }
    }

    // MARK: staying

    /// Returns the transition that stays in the state `state` and changes its data and timers.
    private func change(_ plan: ChangePlan, _ context: EvaluationContext, _ state: FileState)
        throws(Reason) -> FlowTransition<FileFlow>
    {
        if !plan.draws.isEmpty { context.draws?.evaluate(plan.draws, context) }
        let rules = states[state.index]
        var data = state.data
        for (index, value) in plan.data {
            data[index] = try evaluate(value, rules.fields[index].wireName, context)
        }
        if !plan.data.isEmpty { try check(data: data, of: state.index) }
        let effects = try self.effects(plan.effects, context)
        let post = try self.post(plan.post, context)
        let operations = try self.operations(plan.operations, context, state)
        let hasDrawn = !plan.draws.isEmpty
        let changedState =
            plan.data.isEmpty && !hasDrawn
            ? state : FileState(state.index, rules, data, state.timers, context.draws?.chance)
        return FlowTransition(enters: false, effects: effects) { entry throws(Reason) in
            if hasDrawn { entry.recordDraw() }
            if let post { entry.post(post.name, post.arguments) }
            for (timer, operation) in operations { entry.operate(timer, operation) }
            return changedState
        }
    }

    /// Evaluates the operations of a row on the timers of the state `state`.
    private func operations(
        _ requests: [TimerRequest], _ context: EvaluationContext, _ state: FileState
    )
        throws(Reason) -> [(timer: TimerID, operation: TimerAdjustment)]
    {
        var operations: [(timer: TimerID, operation: TimerAdjustment)] = []
        for request in requests {
            // A timer whose condition was false at the entry is not set. A request for this timer is ignored.
            guard let timer = state.timers[request.timer] else { continue }
            let name = states[state.index].definition.timers[request.timer].name
            let time =
                try request.time.map { time throws(Reason) in
                    try milliseconds(time, name, context)
                } ?? 0
            guard FieldDefinition.allowedDurations ~= time else {
                throw .invalid(
                    name, "a time not within 0…\(FieldDefinition.allowedDurations.upperBound) ms")
            }
            operations.append(
                (timer.id, try operation(request.kind, .milliseconds(time), timer, name)))
        }
        return operations
    }

    /// Returns an operation in the form in which GameFlow carries it out. `time` is its duration, zero for an operation that
    /// needs none; `name` is the name of the timer.
    private func operation(
        _ kind: TimerRequest.Kind, _ time: Duration, _ timer: StateTimerHandle, _ name: String
    ) throws(Reason) -> TimerAdjustment {
        switch kind {
        case .pause: return .pause
        case .resume: return .resume
        case .restart: return .restart
        case .shorten: return .shorten(by: time)
        case .set:
            if case .stopwatch = timer { return .setSpent(to: time) }
            return .set(to: time)
        case .extend:
            guard timer.total + time <= .longest else {
                throw .invalid(name, "longer than ten years")
            }
            return .extend(by: time)
        }
    }

    // MARK: effects and posts

    private func effects(_ requests: [EffectRequest], _ context: EvaluationContext) throws(Reason)
        -> [FileEffect]
    {
        if requests.isEmpty { return [] }
        var effects: [FileEffect] = []
        for request in requests {
            effects.append(
                FileEffect(
                    name: request.name,
                    arguments: try members(
                        request.arguments, context,
                        leavesOut: { EffectRecord.isShown(request.name, $0) })))
        }
        return effects
    }

    private func post(_ request: PostRequest?, _ context: EvaluationContext) throws(Reason)
        -> (name: String, arguments: [Member])?
    {
        guard let request else { return nil }
        return (request.event, try members(request.arguments, context))
    }

    /// Evaluates the arguments of an effect or a posted event. An argument that is null is left out. So is a
    /// text that cannot be computed if `leavesOut` returns true for its name: the screens then lack it, and nothing is refused for it.
    /// It is null in the result, see `EffectRecord.unshown`.
    private func members(
        _ arguments: [(name: String, value: CompiledExpression)], _ context: EvaluationContext,
        leavesOut: (String) -> Bool = { _ in false }
    ) throws(Reason) -> [Member] {
        var members: [Member] = []
        for (name, expression) in arguments {
            do throws(EvaluationError) {
                let value = try expression.evaluate(context)
                if value != .null { members.append(Member(name, value)) }
            } catch {
                guard leavesOut(name), expression.type.unwrapped.isText else {
                    throw .invalid(name, error.why)
                }
                members.append(Member(name, .null))
            }
        }
        return members
    }
}
