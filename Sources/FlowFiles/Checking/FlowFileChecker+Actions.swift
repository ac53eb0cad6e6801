internal import GameFlow
internal import Support
internal import Timers

/// Reads the actions of rows: entries with their data, changes, effects, posts and operations on timers. A mistake in the file
/// is added to `findings`. The parameter `context` of the functions holds the state and the event to which the row belongs,
/// and the names that the row's expressions can use.
extension FlowFileChecker {
    /// The names of arguments or data, for the suggestions in a finding.
    private static func names(_ fields: [FieldDefinition]) -> [String] { fields.map(\.name) }

    // MARK: entries and changes

    /// Returns the plan of a row that enters the state with the index `state`. `map` is the row as a map, or nil if the row is
    /// only the state's name; `node` is the row in both cases.
    func entryPlan(
        _ state: Int, _ map: MapReader?, _ node: DocumentNode, _ context: RowContext
    ) -> EntryPlan {
        let target = flow.states[state]
        let givenValues = dataValues(map?["with"], target.data, target.name, context)
        let data = target.data.indices.map { index in
            // A given value with a mistake is nil here, and no value is inherited in its place.
            givenValues[index] ?? inherited(target.data[index], target.name, node.position, context)
        }
        // Null stands for a value with a mistake. Because of the finding, the plan is never carried out.
        return EntryPlan(
            state: state, data: data.map { $0 ?? CompiledExpression(.null, .null) },
            remaining: remaining(map?["left"], target, context),
            exitEffects: stateNodes[context.state].map["leave"]
                .map { effects($0, context.scope, context.readable) } ?? [],
            effects: map?["do"].map { effects($0, context.drawingScope, context.readable) } ?? [],
            post: map?["post"].flatMap { post($0, context) })
    }

    /// Returns the plan of a row that stays in its state. `operations` are the operations of the row on the state's timers.
    func changePlan(
        _ map: MapReader, _ operations: [TimerRequest], _ context: RowContext
    ) -> ChangePlan {
        let state = flow.states[context.state]
        let givenValues = dataValues(map["with"], state.data, state.name, context)
        let changes = givenValues.sorted { $0.key < $1.key }.compactMap { index, value in
            value.map { (index: index, value: $0) }
        }
        return ChangePlan(
            data: changes,
            effects: map["do"].map { effects($0, context.drawingScope, context.readable) } ?? [],
            post: map["post"].flatMap { post($0, context) }, operations: operations)
    }

    /// Reads `node`, the value of the key `with` of a row: new values for the data `data` of the state named `state`. Returns
    /// each value by the index of its datum in `data`. A value with a mistake is in the result as nil.
    func dataValues(
        _ node: DocumentNode?, _ data: [FieldDefinition], _ state: String, _ context: RowContext
    ) -> [Int: CompiledExpression?] {
        guard let node, !node.isEmpty else { return [:] }
        guard let entries = node.entries else {
            findings.add(node.position, "expected a map of data under with, not \(node.kind)")
            return [:]
        }
        var values: [Int: CompiledExpression?] = [:]
        for entry in entries {
            guard let index = data.firstIndex(where: { $0.name == entry.key }) else {
                findings.add(
                    entry.position, unknown("datum of \(state) named", entry.key, Self.names(data)))
                continue
            }
            let compiled = value(
                entry.value, as: data[index].type, context.drawingScope, context.readable)
            if data[index].type == .tally, let reads = compiled?.reads,
                Self.includesOtherTally(reads, than: entry.key, context.scope)
            {
                namesInTallies[entry.key] = false
            }
            if data[index].type.unwrapped == .duration, data[index].limits?.lowerBound ?? 0 >= 0 {
                checkIsNotOvertime(entry.value, context.scope)
            }
            if let constant = compiled?.constant, let why = data[index].violation(constant) {
                findings.add(entry.value.position, "\(entry.key) is \(why)")
            }
            // A nil is stored, too: the value is given, but has a mistake.
            values[index] = .some(compiled)
        }
        return values
    }

    /// Whether what an expression reads includes another tally than the datum `name`, from which it could get names.
    private static func includesOtherTally(
        _ reads: ExpressionReads, than name: String, _ scope: ExpressionScope
    ) -> Bool {
        let data = reads.data.compactMap { scope.data?[$0] }.filter { $0.name != name }
        let arguments = reads.arguments.keys.compactMap { scope.arguments?[$0] }
        return (data + arguments).contains { $0.type.unwrapped == .tally }
    }

    /// Returns the value of a datum that the key `with` does not give. The value comes from the first of these that exists:
    /// - the event's argument of the same name, if the argument's type fits;
    /// - the present state's datum of the same name, if the datum's type fits;
    /// - the default.
    ///
    /// A datum of the flow keeps its value. An argument of its name then is a mistake, because its author may expect otherwise.
    ///
    /// If nothing provides the value, adds a finding and returns nil.
    func inherited(
        _ field: FieldDefinition, _ state: String, _ position: FilePosition, _ context: RowContext
    ) -> CompiledExpression? {
        if field.isOfFlow, context.scope.argument(field.name) != nil {
            findings.add(
                position,
                "the event's argument \(field.name) does not change the flow's datum \(field.name); write `with: {\(field.name): =event.\(field.name)}`, or =state.\(field.name) to keep it"
            )
            return nil
        }
        // A slot is the place from which the expression reads the value when the row is taken.
        for (slot, type) in [context.scope.argument(field.name), context.scope.datum(field.name)]
            .compactMap({ $0 })
        where type.fits(field.type) {
            return CompiledExpression(slot, type)
        }
        if let value = field.defaultValue { return CompiledExpression(value, field.type) }
        // The argument may be what provides the value.
        if misdeclared.contains(field.name) { return nil }
        let unfitHint = context.scope.find(field.name).map { _, type in
            " (a \(field.name) is here, but it is \(type.name))"
        }
        findings.add(
            position,
            "nothing provides the datum `\(field.name): \(field.type.name)` of the state \(state)\(unfitHint ?? ""); write `with: {\(field.name): …}`, or give the datum a default"
        )
        return nil
    }

    /// Reads the key `left` of a row. The key gives remaining times for countdowns of the entered state, `target`. These
    /// countdowns start with the remaining time instead of their full duration. In the result, `timer` is the countdown's index
    /// among the timers of `target`.
    func remaining(_ node: DocumentNode?, _ target: StateDefinition, _ context: RowContext)
        -> [(timer: Int, time: CompiledExpression)]
    {
        guard let node, !node.isEmpty else { return [] }
        guard let entries = node.entries else {
            findings.add(node.position, "expected a map of timers under left, not \(node.kind)")
            return []
        }
        return entries.compactMap { entry in
            guard let index = target.timers.firstIndex(where: { $0.name == entry.key }) else {
                findings.add(
                    entry.position,
                    unknown("timer of \(target.name) named", entry.key, target.timerNames))
                return nil
            }
            let timer = target.timers[index]
            if timer.kind != .countdown {
                let why =
                    switch timer.kind {
                    case .pendulum: "is a pendulum, which starts with a whole period"
                    case .when: "is a mark on a countdown; give what that has left"
                    case .until: "fires at a time of day"
                    case .countdown, .stopwatch: "is a stopwatch, which starts at zero"
                    }
                findings.add(entry.position, "left is for countdowns, and \(entry.key) \(why)")
            }
            guard timer.hasOvertime else {
                return duration(entry.value, context.drawingScope, context.readable).map {
                    (index, $0)
                }
            }
            return value(entry.value, as: .duration, context.drawingScope, context.readable).map {
                (index, $0)
            }
        }
    }

    // MARK: effects and posts

    /// Compiles the effects after `do` or `enter`. They are written as a name, as `name: {argument: value}`, or as a list of
    /// these two forms. `scope` has the names that expressions can use. `readable` is the event and the state to which the
    /// arguments and data among these names belong.
    func effects(
        _ node: DocumentNode, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> [EffectRequest] {
        if node.isEmpty { return [] }
        let nodes: [DocumentNode]
        if case .list(let list) = node.content { nodes = list } else { nodes = [node] }
        if nodes.count > FlowFileLimit.effects.maximum {
            findings.add(node.position, exceeding: .effects)
        }
        return nodes.prefix(FlowFileLimit.effects.maximum).flatMap { node -> [EffectRequest] in
            if let name = node.text {
                checkEffect(name, node.position)
                return [EffectRequest(name: name, arguments: [])]
            }
            guard let entries = node.entries else {
                findings.add(node.position, "expected an effect, not \(node.kind)")
                return []
            }
            return entries.map { entry in
                checkEffect(entry.key, entry.position)
                let effect = EffectRequest(
                    name: entry.key, arguments: effectArguments(entry, scope, readable))
                checkSound(entry, effect)
                checkMessage(entry, effect)
                return effect
            }
        }
    }

    /// Adds a finding if the file does not declare the effect.
    private func checkEffect(_ name: String, _ position: FilePosition) {
        if name == "show", flow.showEffect == nil { flow.showEffect = position }
        guard !flow.effects.contains(name) else { return }
        let why =
            flow.effects.isEmpty
            ? "there is no effect \(name); list the effects: effects: [\(name)]"
            : unknown("effect", name, flow.effects)
        findings.add(position, why)
    }

    /// Compiles the arguments of one effect. Durations are sent in milliseconds under names that end in `Ms`.
    private func effectArguments(
        _ entry: DocumentEntry, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> [(name: String, value: CompiledExpression)] {
        namedEntries(entry.value, "the arguments of \(entry.key)", .arguments).compactMap {
            argument in
            guard let value = untypedValue(argument.value, scope, readable) else { return nil }
            let isDuration = value.type.unwrapped == .duration
            return (isDuration ? argument.key + Field.durationSuffix : argument.key, value)
        }
    }

    /// Compiles a value that has no declared type: an argument of an effect. A text that begins with `=` is an expression.
    /// Without quotes, digits are an integer, and `true` and `false` are booleans. Everything else is a text.
    private func untypedValue(
        _ node: DocumentNode, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> CompiledExpression? {
        let node = localized(node)
        if node.text?.hasPrefix("=") == true { return expression(node, as: nil, scope, readable) }
        if case .scalar(let text, isQuoted: false) = node.content {
            if let number = Literal.integer(text) {
                warnOfLeadingZero(text, node.position)
                return CompiledExpression(.int(number), .integer)
            }
            if text == "true" || text == "false" {
                return CompiledExpression(.bool(text == "true"), .boolean)
            }
        }
        return value(node, as: .text, scope, readable)
    }

    /// Compiles the key `post` of a row: an event that the row sends to its own session after the step.
    func post(_ node: DocumentNode, _ context: RowContext) -> PostRequest? {
        let (name, position, arguments): (String, FilePosition, DocumentNode?)
        if let text = node.text {
            (name, position, arguments) = (text, node.position, nil)
        } else if let entries = node.entries, entries.count == 1 {
            (name, position, arguments) = (entries[0].key, entries[0].position, entries[0].value)
        } else {
            findings.add(node.position, "post sends one event: a name, or name: {argument: value}")
            return nil
        }
        guard let event = flow.events.first(where: { $0.name == name }) else {
            findings.add(position, unknown("event", name, flow.events.map(\.name)))
            return nil
        }
        return PostRequest(
            event: name, arguments: postArguments(arguments, event, position, context))
    }

    /// Compiles the arguments of a posted event, and adds a finding for each argument that is missing or unknown. `position` is
    /// the position of the event's name.
    private func postArguments(
        _ node: DocumentNode?, _ event: EventDefinition, _ position: FilePosition,
        _ context: RowContext
    ) -> [(name: String, value: CompiledExpression)] {
        let entries =
            node.map { namedEntries($0, "the arguments of \(event.name)", .arguments) } ?? []
        for field in event.arguments where !field.type.isOptional {
            guard !entries.contains(where: { $0.key == field.name }) else { continue }
            findings.add(position, "\(event.name) needs the argument \(field.name)")
        }
        return entries.compactMap { entry in
            guard let field = event.arguments.first(where: { $0.name == entry.key }) else {
                findings.add(
                    entry.position,
                    unknown(
                        "argument of \(event.name) named", entry.key, Self.names(event.arguments)))
                return nil
            }
            return value(entry.value, as: field.type, context.drawingScope, context.readable).map {
                (field.wireName, $0)  // a posted event is read like one from the wire
            }
        }
    }

    // MARK: operations on timers

    /// Compiles the operations of a row on the timers of its state: the keys `pause`, `extend` and so on.
    func timerOperations(_ map: MapReader, _ context: RowContext) -> [TimerRequest] {
        TimerRequest.Kind.allCases.flatMap { kind -> [TimerRequest] in
            guard let node = map[kind.rawValue] else { return [] }
            return kind.needsDuration
                ? timedOperations(kind, node, context) : plainOperations(kind, node, context)
        }
    }

    /// Compiles operations without a duration: `pause: TIMER`, or a list of timers.
    private func plainOperations(
        _ kind: TimerRequest.Kind, _ node: DocumentNode, _ context: RowContext
    ) -> [TimerRequest] {
        texts(node, "the name of a timer").compactMap { name, position in
            timerIndex(name, position, context).map {
                TimerRequest(kind: kind, timer: $0, time: nil)
            }
        }
    }

    /// Compiles operations with a duration: `extend: {TIMER: 1m}`.
    private func timedOperations(
        _ kind: TimerRequest.Kind, _ node: DocumentNode, _ context: RowContext
    ) -> [TimerRequest] {
        guard let entries = node.entries else {
            findings.add(node.position, "write \(kind.rawValue): {TIMER: 1m}")
            return []
        }
        return entries.compactMap { entry in
            guard let timer = timerIndex(entry.key, entry.position, context)
            else { return nil }
            let timerKind = flow.states[context.state].timers[timer].kind
            let mayBeSet = timerKind == .countdown || timerKind == .stopwatch
            if !mayBeSet || timerKind != .countdown && kind != .set {
                let why =
                    switch timerKind {
                    case .pendulum: "is a pendulum, whose period is fixed"
                    case .until: "fires at a time of day"
                    case .countdown, .stopwatch, .when: "is a stopwatch, which can only be set"
                    }
                findings.add(
                    entry.position, "\(kind.rawValue) is for countdowns, and \(entry.key) \(why)")
            }
            return duration(entry.value, context.drawingScope, context.readable).map {
                TimerRequest(kind: kind, timer: timer, time: $0)
            }
        }
    }

    /// Returns the index of a timer among the timers of the row's state. If the state has no timer of that name, adds a finding
    /// and returns nil. Also records that the rows of this state use timers. A machine then stores the handles of the state's
    /// timers.
    private func timerIndex(_ name: String, _ position: FilePosition, _ context: RowContext)
        -> Int?
    {
        let names = flow.states[context.state].timerNames
        if let index = names.firstIndex(of: name) {
            flow.states[context.state].usesTimers = true
            if flow.states[context.state].timers[index].kind == .when {
                findings.add(
                    position, "\(name) is a mark, which stands and runs with its countdown")
                return nil
            }
            return index
        }
        findings.add(
            position, unknown("timer of \(flow.states[context.state].name) named", name, names))
        return nil
    }
}
