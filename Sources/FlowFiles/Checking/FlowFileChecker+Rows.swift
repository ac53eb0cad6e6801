internal import GameFlow
internal import Support
internal import Timers

/// The rows under `everywhere`. A state uses them for the events and timers for which it has no rows of its own.
struct EverywhereRows {
    let keys: [RowKey]
    /// The indices of the states under `except`, which do not get these rows.
    let exceptions: Set<Int>
}

/// A key under `on`, with the node of its rows. The key is the name of an event or timer, or several names joined by commas.
struct RowKey {
    let names: [String]
    let position: FilePosition
    let rows: DocumentNode

    init(_ entry: DocumentEntry) {
        names = entry.key.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
        (position, rows) = (entry.position, entry.value)
    }
}

/// The state and the event whose rows are being compiled, and the names that these rows can use.
struct RowContext {
    /// The state's index in the flow.
    let state: Int
    /// The event's index in the flow; nil if the rows belong to a timer.
    let event: Int?
    /// The names that the rows' expressions can use: the event's arguments, the state's data and timers, and the settings.
    let scope: ExpressionScope

    /// The same names, where expressions may draw random values.
    var drawingScope: ExpressionScope {
        var scope = scope
        scope.allowsDraws = true
        return scope
    }

    /// The event and the state whose fields the expressions can read. The `SampleCollector` makes samples for these fields from
    /// the values with which the expressions compare them.
    var readable: SampleCollector.ReadableFields { .init(event: event, state: state) }
}

/// Reads rows: what each state does for each event and timer.
extension FlowFileChecker {
    /// The keys of `everywhere`.
    static let everywhereKeys = ["except", "on"]

    /// Reads the key `everywhere`. Its rows are not compiled here; `resolveRows` compiles them for each state. Returns nil,
    /// with a finding, if `node` is not a map.
    func everywhereRows(_ node: DocumentNode) -> EverywhereRows? {
        guard let map = MapReader(node, "everywhere", keys: Self.everywhereKeys, findings) else {
            return nil
        }
        var exceptions: Set<Int> = []
        let names = flow.states.map(\.name)
        for (name, position) in texts(map["except"], "the name of a state") {
            if let state = names.firstIndex(of: name) {
                exceptions.insert(state)
            } else {
                findings.add(position, unknown("state", name, names))
            }
        }
        return EverywhereRows(keys: rowKeys(map["on"]), exceptions: exceptions)
    }

    /// Reads a map under `on`, without compiling its rows.
    private func rowKeys(_ node: DocumentNode?) -> [RowKey] {
        guard let node, !node.isEmpty else { return [] }
        guard let entries = node.entries else {
            findings.add(
                node.position, "expected a map of events and timers under on, not \(node.kind)")
            return []
        }
        return entries.map(RowKey.init)
    }

    /// Compiles the rows of the state with the index `state`. Events and timers without rows in the state get the rows of
    /// `everywhere`.
    func resolveRows(of state: Int, _ everywhere: EverywhereRows?) {
        var rows = RowTable(
            events: .init(repeating: nil, count: flow.events.count),
            timers: .init(repeating: nil, count: flow.timerNames.count))
        if !flow.states[state].isFinal {
            let ownKeys = rowKeys(stateNodes[state].map["on"])
            let everywhere = everywhere.flatMap { $0.exceptions.contains(state) ? nil : $0 }
            let sources = RowSources(own: ownKeys, everywhere: everywhere?.keys ?? [])
            for key in ownKeys { resolve(key, state, &rows, isEverywhere: false, sources) }
            if let everywhere {
                // A finding in the rows of `everywhere` names the state for which they were checked.
                findings.stateOfRow = flow.states[state].name
                defer { findings.stateOfRow = nil }
                var allRows = RowTable(events: rows.events, timers: rows.timers)
                for key in everywhere.keys {
                    resolve(key, state, &allRows, isEverywhere: true, stateRows: rows, sources)
                }
                rows = allRows
            }
            checkOneBuzzer(state, rows, sources)
            checkTimersAreHandled(state, rows)
            checkExitEffects(state, rows)
        }
        (flow.states[state].eventRows, flow.states[state].timerRows) = (rows.events, rows.timers)
    }

    /// Adds a finding if a state always takes two events with `buzz: true`: a phone shows one button. If a condition decides what is
    /// taken, it can be one of them at a time.
    private func checkOneBuzzer(_ state: Int, _ rows: RowTable, _ sources: RowSources) {
        if isRecorded { return }
        let buzzers = flow.events.indices.filter { event in
            guard flow.events[event].offer.isBuzzer, let rows = rows.events[event] else {
                return false
            }
            return rows.allSatisfy { $0.action.isTaken } && rows.contains { $0.condition == nil }
        }
        guard buzzers.count > 1 else { return }
        let names = buzzers.map { flow.events[$0].name }
        guard let key = sources.key(of: names[1]) else { return }
        findings.add(
            key.position,
            "\(flow.states[state].name) takes the buzzers \(names.joined(separator: " and ")), and a phone shows one button; keep one of them"
        )
    }

    /// The rows that have been compiled for a state.
    struct RowTable {
        /// The rows of each event, by the event's index; nil while the event has no rows.
        var events: [[RowDefinition]?]
        /// The rows of each timer, by the number of the timer's signal; nil while the timer has no rows.
        var timers: [[RowDefinition]?]
    }

    /// Compiles the rows of one key, once for each event and timer that the key names. Adds the compiled rows to `rows`. For a
    /// key of `everywhere`, `stateRows` are the rows of the state itself; they are not replaced.
    private func resolve(
        _ key: RowKey, _ state: Int, _ rows: inout RowTable, isEverywhere: Bool,
        stateRows: RowTable? = nil, _ sources: RowSources
    ) {
        for name in key.names {
            guard hasRoom(key.position) else { return }
            if let event = eventIndices[name] {
                if stateRows?.events[event] != nil { continue }
                if rows.events[event] != nil { reportRepeated(name, key.position) }
                guard let node = sources.rows(of: event, key.rows, isEverywhere, self) else {
                    continue
                }
                rows.events[event] = self.rows(node, context(state, event: event)).rows
            } else if let timer = flow.states[state].timers.first(where: { $0.name == name }) {
                let signal = Int(timer.signal)
                guard timer.canFire else {
                    if !isEverywhere {
                        findings.add(
                            key.position,
                            "\(name) is a \(timer.kind.rawValue), which never fires; remove the row"
                        )
                    }
                    continue
                }
                if stateRows?.timers[signal] != nil { continue }
                if rows.timers[signal] != nil { reportRepeated(name, key.position) }
                let (timerRows, coverEveryCase) = self.rows(
                    key.rows, context(state, event: nil))
                rows.timers[signal] = timerRows
                if !coverEveryCase {
                    findings.warn(
                        key.position,
                        "when the timer \(name) fires and no condition is true, its signal is refused; end the rows with `else: stay`"
                    )
                }
            } else if !isEverywhere || !flow.timerNames.contains(name) {
                // Under `everywhere`, the name of a timer that only other states have is no mistake.
                let names =
                    flow.events.map(\.name)
                    + (isEverywhere ? flow.timerNames : flow.states[state].timerNames)
                let owner = isEverywhere ? "" : " of \(flow.states[state].name)"
                findings.add(key.position, unknown("event or timer\(owner) named", name, names))
            }
        }
    }

    /// Whether the flow may have one more row. If not, one finding is added for the whole file.
    private func hasRoom(_ position: FilePosition) -> Bool {
        if rowCount == FlowFileLimit.table.maximum {
            findings.add(position, exceeding: .table)
            rowCount += 1  // so that the finding is not added again
        }
        return rowCount < FlowFileLimit.table.maximum
    }

    private func reportRepeated(_ name: String, _ position: FilePosition) {
        findings.add(position, "\(name) has rows already; put all of them into one list")
    }

    /// Returns the context of the rows of a state for an event or, if `event` is nil, for a timer.
    private func context(_ state: Int, event: Int?) -> RowContext {
        let arguments = event.map { flow.events[$0].arguments.map(\.variable) }
        let scope = ExpressionScope(
            arguments: arguments, data: flow.states[state].dataVariables,
            settings: flow.settingVariables, timers: flow.states[state].timerVariables)
        return RowContext(state: state, event: event, scope: scope)
    }

    /// Checks the effects of `leave` of a state that no row leaves. Otherwise they are checked with each row that does.
    private func checkExitEffects(_ state: Int, _ rows: RowTable) {
        guard let node = stateNodes[state].map["leave"] else { return }
        let isLeft = (rows.events + rows.timers).contains { rows in
            (rows ?? []).contains { $0.action.leaves }
        }
        if isLeft { return }
        let context = context(state, event: nil)
        _ = effects(node, context.scope, context.readable)
        findings.warn(node.position, "no row leaves \(flow.states[state].name)")
    }

    /// Adds a finding for each timer of the state that has no rows.
    private func checkTimersAreHandled(_ state: Int, _ rows: RowTable) {
        for timer in flow.states[state].timers
        where timer.canFire && rows.timers[Int(timer.signal)] == nil {
            let position = stateNodes[state].map["timers"]?.entries?.first { $0.key == timer.name }?
                .position
            findings.add(
                position ?? stateNodes[state].entry.position,
                "nothing happens when the timer \(timer.name) of \(flow.states[state].name) fires; write a row under `on`, at least `\(timer.name): stay`"
            )
        }
    }

    // MARK: lists of rows

    /// Compiles the rows of one event or timer: a single row, or a list of rows. `coverEveryCase` is whether one of the rows is
    /// taken whatever the conditions are.
    private func rows(_ node: DocumentNode, _ context: RowContext)
        -> (rows: [RowDefinition], coverEveryCase: Bool)
    {
        var rows: [RowDefinition] = []
        guard case .list(let nodes) = node.content else {
            let coversEveryCase = append(node, context, to: &rows)
            return (rows, coversEveryCase)
        }
        if nodes.isEmpty { findings.add(node.position, "the list has no row") }
        if nodes.count > FlowFileLimit.rows.maximum {
            findings.add(node.position, exceeding: .rows)
        }
        var coversEveryCase = false
        for node in nodes.prefix(FlowFileLimit.rows.maximum) {
            if coversEveryCase {
                findings.add(
                    node.position,
                    "this row can never be reached, because the row before it is taken in every case"
                )
                break
            }
            coversEveryCase = append(node, context, to: &rows)
        }
        return (rows, coversEveryCase)
    }

    /// The keys of a map in place of rows: another event, whose rows handle this one.
    static let aliasKeys = ["as"]

    /// The keys of a row that is a map. `left` sets the remaining time of countdowns of the entered state.
    static let keysOfRow =
        ["if", "else", "refuse", "to", "back", "with", "left", "do", "post"]
        + TimerRequest.Kind.allCases.map(\.rawValue)

    /// Compiles a row and appends it to `rows`, followed by the row of its `else`. Returns true if a further row in the list
    /// could never be reached. This is so if the row has no `if`, or if the row of its last `else` has no `if`. Also returns
    /// true after some mistakes, for which the row has a finding.
    private func append(
        _ node: DocumentNode, _ context: RowContext, to rows: inout [RowDefinition]
    ) -> Bool {
        guard hasRoom(node.position) else { return true }
        rowCount += 1
        if let text = node.text {
            rows.append(RowDefinition(condition: nil, action: action(text, node, context)))
            return true
        }
        if let alias = RowSources.alias(node) {
            let other = alias.value.text ?? "EVENT"
            let event = context.event.map { flow.events[$0].name }
            findings.add(
                alias.position,
                event.map {
                    "as replaces the list of rows; write \($0): {as: \(other)}"
                } ?? "as is for events, and a timer has rows of its own")
            return event == nil
        }
        guard let map = MapReader(node, "a row", keys: Self.keysOfRow, findings) else {
            return true
        }
        let condition = map["if"].flatMap {
            expression($0, as: .boolean, context.scope, context.readable)
        }
        rowDraws = []
        let action = action(map, node, context)
        addDraws(to: action)
        rows.append(RowDefinition(condition: condition, action: action))
        guard let elseRow = map["else"] else { return map["if"] == nil }
        if map["if"] == nil {
            findings.add(
                map.position(of: "else")!,
                "this row can never be reached, because else needs an if before it")
        }
        if case .list = elseRow.content {
            findings.add(
                elseRow.position, "else has one row, which may have an if and an else of its own")
            return true
        }
        let isElseTaken = append(elseRow, context, to: &rows)
        return map["if"] == nil || isElseTaken
    }

    /// Returns the action of a row that is a word: a state, `stay` or `defer`. After a mistake, which adds a finding, returns
    /// any action, because a file with findings is never played.
    private func action(_ text: String, _ node: DocumentNode, _ context: RowContext) -> RowAction {
        switch text {
        case "stay": return .stay
        case "defer":
            if context.event == nil {
                findings.add(node.position, "the signal of a timer cannot be deferred")
            }
            return .defer
        case "":
            findings.add(
                node.position, "a row is missing here: a state, stay, defer or {to: STATE}")
            return .stay
        default:
            let names = flow.states.map(\.name)
            guard let state = names.firstIndex(of: text) else {
                findings.add(node.position, unknown("state", text, names + ["stay", "defer"]))
                return .stay
            }
            return .enter(entryPlan(state, nil, node, context))
        }
    }

    /// Returns the action of a row that is a map. With the key `refuse`, the action is to refuse the event. With the key `to`,
    /// it is to enter a state. Otherwise it is to stay.
    private func action(_ map: MapReader, _ node: DocumentNode, _ context: RowContext) -> RowAction
    {
        if let refuse = map["refuse"] {
            // The first three keys, if, else and refuse, are allowed together.
            for key in Self.keysOfRow.dropFirst(3) where map[key] != nil {
                findings.add(
                    map.position(of: key)!, "a row that refuses does nothing else; remove \(key)")
            }
            return refusal(refuse, context)
        }
        let operations = timerOperations(map, context)
        if let back = map["back"] {
            if back.text != "true" || back.isQuoted {
                findings.add(back.position, "expected back: true")
            }
            if let position = map.position(of: "to") {
                findings.add(position, "a row goes back or enters a state, not both; remove to")
            }
        }
        guard map["to"] ?? map["back"] != nil else {
            if let position = map.position(of: "left") {
                findings.add(position, "left belongs to a row that enters a state; this one stays")
            }
            return .change(changePlan(map, operations, context))
        }
        if let kind = TimerRequest.Kind.allCases.first(where: { map[$0.rawValue] != nil }) {
            findings.add(
                map.position(of: kind.rawValue)!,
                "\(kind.rawValue) needs a row that stays: entering a state ends the timers of this one"
            )
        }
        guard let to = map["to"] else {
            // Which states the row can go back to is known when all rows are.
            let plan = BackPlan()
            backRows.append(
                BackRow(
                    plan: plan, map: map, position: node.position, context: context,
                    stateOfRow: findings.stateOfRow))
            return .back(plan)
        }
        guard let state = stateIndex(to) else { return .stay }
        return .enter(entryPlan(state, map, node, context))
    }

    /// Reads the key `refuse`: `true`, the reason as a text, or the name of an argument or datum with the reason. In quotes,
    /// `true` is a text.
    private func refusal(_ node: DocumentNode, _ context: RowContext) -> RowAction {
        let node = localized(node)
        if let text = node.text, !text.isEmpty {
            if text == "true", !node.isQuoted { return .refuse }
            if !node.isQuoted, text == "false" || Literal.integer(text) != nil {
                findings.add(node.position, "write refuse: true, or '\(text)' for a text")
                return .refuse
            }
            return value(node, as: .text, context.scope, context.readable)
                .map { .invalid(argument: nil, why: $0) } ?? .refuse
        }
        guard let entries = node.entries, entries.count == 1, let entry = entries.first else {
            findings.add(
                node.position, "write refuse: TEXT, refuse: {ARGUMENT: reason} or refuse: true")
            return .refuse
        }
        let fields =
            (context.event.map { flow.events[$0].arguments } ?? [])
            + flow.states[context.state].data
        guard let field = fields.first(where: { $0.name == entry.key }) else {
            findings.add(entry.position, unknown("argument", entry.key, fields.map(\.name)))
            return .refuse
        }
        let reason = localized(entry.value)
        guard let why = value(reason, as: .text, context.scope, context.readable) else {
            return .refuse
        }
        // On the wire, the name of a duration ends with `Ms`.
        return .invalid(argument: field.wireName, why: why)
    }
}
