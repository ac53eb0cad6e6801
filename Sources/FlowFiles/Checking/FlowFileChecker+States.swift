internal import GameFlow
internal import Support
internal import Timers

/// Reads states: in the first pass their data and timers, in the second pass the parts that refer to other declarations.
extension FlowFileChecker {
    /// The keys of a state.
    static let stateKeys = [
        "data", "timers", "on", "enter", "leave", "clock", "show", "players", "final", "title",
        "note", "hidden",
    ]

    /// Reads the key `states` in the first pass.
    func declareStates(_ node: DocumentNode) {
        let entries = namedEntries(node, "the states", .states)
        if entries.isEmpty { findings.add(node.position, "the flow needs at least one state") }
        for entry in entries {
            let node =
                entry.value.isEmpty
                ? DocumentNode(content: .map([]), position: entry.position) : entry.value
            guard let map = MapReader(node, "a state", keys: Self.stateKeys, findings) else {
                // The state is declared without content, so that rows that enter it cause no further findings. The reader of an
                // empty map is never nil.
                declareState(entry, MapReader(.emptyMap, "a state", keys: [], findings)!)
                continue
            }
            declareState(entry, map)
        }
    }

    /// Reads the data, the timers and the texts of one state. `entry` is the state's name and value, and `map` is the value.
    private func declareState(_ entry: DocumentEntry, _ map: MapReader) {
        var state = StateDefinition(name: entry.key, position: entry.position)
        (state.title, state.note) = (text(map["title"]), text(map["note"]))
        state.isHiddenFromPlayers = isHidden(map["hidden"])
        if let node = map["final"] {
            if node.text != "true" { findings.add(node.position, "expected final: true") }
            state.isFinal = true
        }
        if let node = map["data"] {
            let fields = namedEntries(node, "the data of \(entry.key)", .data)
            state.data = fields.compactMap { field($0, isDatum: true) }
            for field in fields where flow.data.contains(where: { $0.name == field.key }) {
                findings.add(
                    field.position,
                    "\(field.key) is a datum of the flow, which every state carries; remove it here"
                )
            }
        }
        state.data += flow.data
        if state.data.count > FlowFileLimit.data.maximum {
            findings.add(entry.position, exceeding: .data)
        }
        checkWireNames(state.data, map["data"]?.position ?? entry.position)
        if let node = map["timers"] { state.timers = declareTimers(node, entry.key) }
        if state.isFinal {
            for (key, noun) in [
                ("timers", "timers"), ("on", "rows"), ("leave", "effects of leaving"),
            ] {
                guard let position = map.position(of: key) else { continue }
                findings.add(
                    position,
                    "\(entry.key) is final and cannot have \(noun); a final state refuses every event and nothing happens in it"
                )
            }
        }
        flow.states.append(state)
        stateNodes.append((entry, map))
    }

    // MARK: timers

    /// Reads the names of a state's timers. `resolveTimer` reads their times and conditions later.
    private func declareTimers(_ node: DocumentNode, _ state: String) -> [TimerDefinition] {
        namedEntries(node, "the timers of \(state)", .timers).compactMap { entry in
            // Clients could not distinguish the timer's signal from the event.
            if flow.events.contains(where: { $0.name == entry.key }) {
                findings.add(
                    entry.position,
                    "\(entry.key) is the name of an event; give the timer another one")
                return nil
            }
            guard let signal = signal(entry.key, entry.position) else { return nil }
            return TimerDefinition(name: entry.key, signal: signal)
        }
    }

    /// Returns the number of the signal of the timer named `name`: the name's index in `flow.timerNames`. Timers of the same
    /// name in several states share one signal. If the file has too many names of timers, adds a finding and returns nil.
    private func signal(_ name: String, _ position: FilePosition) -> UInt8? {
        if let index = flow.timerNames.firstIndex(of: name) { return UInt8(index) }
        guard flow.timerNames.count < FlowFileLimit.timers.maximum else {
            findings.add(position, exceeding: .timers)
            return nil
        }
        flow.timerNames.append(name)
        return UInt8(flow.timerNames.count - 1)
    }

    /// The keys of a timer.
    static let timerKeys = [
        "after", "every", "up", "when", "until", "paused", "overtime", "restart", "if", "title",
        "note", "hidden",
    ]
    /// The keys that say what a timer is; it has exactly one of them.
    static let timerForms = ["after", "every", "up", "when", "until"]
    /// The keys that a mark, `when`, cannot have.
    private static let keysWithoutMark = ["paused", "overtime", "restart", "if"]
    /// The keys of `when`.
    static let markKeys = ["left", "of"]

    /// Reads the value of a timer, in the second pass, into `timer`. `scope` has the names that the timer's expressions can
    /// use. `readable` is the state to which the data among these names belong.
    private func resolveTimer(
        _ entry: DocumentEntry, _ timer: inout TimerDefinition, _ scope: ExpressionScope,
        _ readable: SampleCollector.ReadableFields
    ) {
        guard let map = MapReader(entry.value, "a timer", keys: Self.timerKeys, findings) else {
            return
        }
        (timer.title, timer.note) = (text(map["title"]), text(map["note"]))
        timer.isHiddenFromPlayers = isHidden(map["hidden"])
        resolveForm(entry, map, &timer, scope, readable)
        if flag("paused", map) { timer.traits.insert(.beginsPaused) }
        if flag("overtime", map) {
            timer.traits.insert(.overtime)
            if timer.kind != .countdown, let position = map.position(of: "overtime") {
                findings.add(
                    position,
                    timer.kind == .until
                        ? "overtime is for countdowns (after), and \(entry.key) fires at a time of day"
                        : "overtime is for countdowns (after), and \(entry.key) is a \(timer.kind.rawValue)"
                )
            }
        }
        if let node = map["restart"] {
            timer.afterRestart = policy(node)
            if timer.kind == .until, timer.afterRestart != .deadline {
                findings.add(
                    node.position,
                    "\(entry.key) fires at a time of day, also after a restart: restart is deadline"
                )
            }
        }
        timer.condition = map["if"].flatMap { expression($0, as: .boolean, scope, readable) }
    }

    /// Reads what a timer is: its key `after`, `every`, `up`, `when` or `until`.
    private func resolveForm(
        _ entry: DocumentEntry, _ map: MapReader, _ timer: inout TimerDefinition,
        _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) {
        let forms = Self.timerForms.compactMap { key in map[key].map { (key: key, node: $0) } }
        guard let (key, node) = forms.first else {
            findings.add(
                entry.position,
                "the timer \(entry.key) has no time; write after: 90s, every: 1s, up: true, when: {left: 1m, of: COUNTDOWN} or until: '20:00'"
            )
            return
        }
        if forms.count > 1 {
            findings.add(
                forms[1].node.position,
                "a timer has either \(key) or \(forms[1].key); use two timers for both")
        }
        switch key {
        case "when":
            timer.kind = .when
            resolveMark(entry.key, map, node, &timer, scope, readable)
        case "until":
            timer.kind = .until
            timer.duration = value(node, as: .time, scope, readable) ?? timer.duration
        case "up":
            timer.kind = .stopwatch
            _ = flag(key, map)
        case "every":
            timer.kind = .pendulum
            // If the period has a mistake, `duration` has added a finding.
            guard let period = duration(node, scope, readable) else { break }
            timer.duration = period
            if case .int(let milliseconds)? = period.constant,
                milliseconds < TimerDefinition.shortestPeriod
            {
                findings.add(
                    node.position,
                    "every \(node.text ?? "") is too short; the shortest period is 10ms")
            }
        default: timer.duration = duration(node, scope, readable) ?? timer.duration
        }
    }

    /// Reads the value of the key `when`: what a countdown has left when the mark fires. `checkMarks` finds the countdown.
    private func resolveMark(
        _ name: String, _ timer: MapReader, _ node: DocumentNode, _ mark: inout TimerDefinition,
        _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) {
        for key in Self.keysWithoutMark {
            guard let position = timer.position(of: key) else { continue }
            findings.add(
                position, "\(name) is a mark on a countdown, which has no \(key) of its own")
        }
        guard let map = MapReader(node, "when", keys: Self.markKeys, findings) else { return }
        guard let left = map["left"], map["of"] != nil else {
            findings.add(node.position, "write when: {left: 1m, of: COUNTDOWN}")
            return
        }
        mark.duration = value(left, as: .duration, scope, readable) ?? mark.duration
    }

    /// Finds the countdown of each mark of a state, when the kinds of all its timers are known.
    private func checkMarks(_ state: Int, _ map: MapReader) {
        for entry in map["timers"]?.entries ?? [] {
            guard let when = entry.value.entries?.first(where: { $0.key == "when" })?.value,
                let of = when.entries?.first(where: { $0.key == "of" })?.value,
                let mark = flow.states[state].timers.firstIndex(where: { $0.name == entry.key }),
                flow.states[state].timers[mark].kind == .when
            else { continue }
            let (timers, name) = (flow.states[state].timers, of.text ?? "")
            guard let index = timers.firstIndex(where: { $0.name == name }) else {
                findings.add(of.position, unknown("timer", name, timers.map(\.name)))
                continue
            }
            guard timers[index].kind == .countdown else {
                findings.add(
                    of.position, "a mark is on a countdown (after), and \(name) is not one")
                continue
            }
            if case .int(let milliseconds)? = timers[mark].duration.constant, milliseconds < 0,
                !timers[index].hasOvertime
            {
                findings.add(
                    when.position, "\(name) has no overtime, so it never has less than 0s left")
            }
            flow.states[state].timers[mark].countdown = index
            // A mark shows what its countdown has left, and when.
            if timers[index].isHiddenFromPlayers {
                flow.states[state].timers[mark].isHiddenFromPlayers = true
            }
            // The entry needs the handle of the countdown.
            flow.states[state].usesTimers = true
        }
    }

    /// Compiles a duration: a literal such as `90s`, or an expression of the type duration. If it has a mistake, adds a finding
    /// and returns nil.
    func duration(
        _ node: DocumentNode, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> CompiledExpression? {
        let compiled = value(node, as: .duration, scope, readable)
        if case .int(let milliseconds)? = compiled?.constant, milliseconds < 0,
            node.text?.hasPrefix("=") != true
        {
            findings.add(
                node.position,
                "expected a duration such as 90s or 1h30m, not \(node.text?.debugDescription ?? "")"
            )
        }
        checkIsNotOvertime(node, scope)
        return compiled
    }

    /// Adds a finding if an expression gives what a countdown with overtime has left to what cannot be negative.
    func checkIsNotOvertime(_ node: DocumentNode, _ scope: ExpressionScope) {
        guard let text = node.text, text.hasPrefix("="),
            let tree = try? ExpressionParser.parse(String(text.dropFirst())),
            let timer = tree.overtimeCountdown(scope)
        else { return }
        findings.add(
            node.position,
            "left(\(timer)) is negative in overtime; write max(0s, left(\(timer))), or give the datum limits such as duration -1h..1h"
        )
    }

    /// Reads the key `restart` of a timer: what becomes of the timer when its session is restored after a restart of the
    /// daemon.
    private func policy(_ node: DocumentNode) -> AfterRestart {
        if let policy = node.text.flatMap(AfterRestart.init(rawValue:)) { return policy }
        let names = AfterRestart.allCases.map(\.rawValue)
        findings.add(
            node.position,
            "\(node.text ?? node.kind) is not what a timer can do at a restart; \(DidYouMean.hint(node.text ?? "", names))"
        )
        return .deadline
    }

    // MARK: the second pass

    /// For each state, compiles the timers, the entry effects and the conditions of the data, and reads the screen.
    /// `resolveRows` compiles the rows.
    func resolveStates() {
        for index in flow.states.indices {
            let scope = entryScope(index)
            let readable = SampleCollector.ReadableFields(state: index)
            let (stateEntry, map) = stateNodes[index]
            for entry in (map["data"]?.entries ?? []) + flowDataNodes {
                // A datum or a timer whose declaration has a mistake is not in `flow`.
                guard
                    let datumIndex = flow.states[index].data.firstIndex(where: {
                        $0.name == entry.key
                    })
                else { continue }
                flow.states[index].data[datumIndex].condition = fieldCondition(
                    entry, scope, readable)
            }
            for entry in map["timers"]?.entries ?? [] {
                guard
                    let timerIndex = flow.states[index].timers.firstIndex(where: {
                        $0.name == entry.key
                    })
                else { continue }
                // A copy, because `resolveTimer` also accesses `flow`, and Swift forbids overlapping accesses.
                var timer = flow.states[index].timers[timerIndex]
                resolveTimer(entry, &timer, scope, readable)
                flow.states[index].timers[timerIndex] = timer
            }
            checkMarks(index, map)
            if let node = map["enter"] {
                flow.states[index].entryEffects = effects(node, scope, readable)
            }
            resolveScreen(index, map, stateName: stateEntry.key, scope, readable)
        }
    }

    /// The names for expressions that are evaluated when a state is entered: its new data and the settings.
    private func entryScope(_ state: Int) -> ExpressionScope {
        ExpressionScope(
            data: flow.states[state].dataVariables, settings: flow.settingVariables)
    }

    /// The keys of `clock` as a map.
    static let clockKeys = ["timer", "big"]

    /// Reads the key `clock`: the name of a timer, or `{timer: NAME, big: true}`.
    private func resolveClock(_ index: Int, _ node: DocumentNode, stateName: String) {
        var nameNode = node
        if node.entries != nil {
            guard let map = MapReader(node, "clock", keys: Self.clockKeys, findings) else { return }
            guard let timer = map["timer"] else {
                findings.add(node.position, "write clock: {timer: TIMER, big: true}")
                return
            }
            nameNode = timer
            flow.states[index].screen.isClockBig = flag("big", map)
        }
        let (name, names) = (nameNode.text ?? "", flow.states[index].timerNames)
        flow.states[index].screen.clock = names.firstIndex(of: name)
        if flow.states[index].screen.clock == nil {
            findings.add(nameNode.position, unknown("timer", name, names) + " in \(stateName)")
        }
    }

    /// Reads the key `players`: the names of data and timers that the players' screen draws, in this order.
    private func resolvePlayersList(_ index: Int, _ node: DocumentNode, stateName: String) {
        let state = flow.states[index]
        var names: [String] = []
        for (name, position) in texts(node, "the name of a datum or timer") {
            let datum = state.data.first { $0.name == name }
            let timer = state.timers.first { $0.name == name }
            let known = state.data.map(\.name) + state.timerNames
            if datum == nil, timer == nil {
                findings.add(
                    position, unknown("datum or timer", name, known) + " in \(stateName)")
            } else if state.isHiddenFromPlayers || datum?.isHiddenFromPlayers == true
                || timer?.isHiddenFromPlayers == true
            {
                findings.add(position, "\(name) is hidden from players")
            } else if names.contains(name) {
                findings.add(position, "\(name) is in the list already")
            } else {
                names.append(name)
            }
        }
        flow.states[index].screen.playersList = names
    }

    /// The keys of `show` with a text or the name of a file.
    private static let shownTextKeys = ["title", "text", "picture", "sound", "video"]
    /// The keys of `show`.
    static let showKeys = shownTextKeys + ["ended", "join"]

    /// Reads what the players' screen shows in a state: the timer of the key `clock`, and the texts and files of the key `show`.
    private func resolveScreen(
        _ index: Int, _ map: MapReader, stateName: String, _ scope: ExpressionScope,
        _ readable: SampleCollector.ReadableFields
    ) {
        if let node = map["clock"] { resolveClock(index, node, stateName: stateName) }
        if let node = map["players"] { resolvePlayersList(index, node, stateName: stateName) }
        guard let node = map["show"],
            let show = MapReader(node, "show", keys: Self.showKeys, findings)
        else { return }
        if let node = show["ended"] { resolveEnded(index, node, show) }
        flow.states[index].screen.invites = flag("join", show)
        for key in Self.shownTextKeys {
            guard let node = show[key], let value = shownText(node, scope, readable) else {
                continue
            }
            if let kind = MediaKind(rawValue: key) {
                checkFiles(node, kind, place: "shows it in the state \(stateName)")
            }
            if value.constant?.text == nil { flow.computesScreens = true }
            flow.states[index].screen.parts.append((key, value))
        }
    }

    /// The keys of an invariant.
    static let invariantKeys = ["that", "why"]

    /// Reads the key `always`: the invariants of the flow, which are conditions on the data of its states.
    func resolveInvariants(_ node: DocumentNode) {
        guard case .list(let nodes) = node.content else {
            findings.add(
                node.position,
                "expected a list of {that: …, why: …} under always, not \(node.kind)")
            return
        }
        if nodes.count > FlowFileLimit.invariants.maximum {
            findings.add(node.position, exceeding: .invariants)
        }
        for node in nodes.prefix(FlowFileLimit.invariants.maximum) {
            guard let map = MapReader(node, "an invariant", keys: Self.invariantKeys, findings)
            else {
                continue
            }
            guard let that = map["that"] else {
                findings.add(node.position, "the invariant has no condition; write that: CONDITION")
                continue
            }
            resolveInvariant(that, why: map["why"])
        }
    }

    /// Compiles an invariant for each state that has all the data that the invariant names. `node` is the condition, and `why`
    /// says what is wrong when the condition is false; without it, the condition itself says so.
    private func resolveInvariant(_ node: DocumentNode, why: DocumentNode?) {
        let tree: Expression
        do { tree = try ExpressionParser.parse(node.text ?? "") } catch {
            findings.add(node.textPosition.advanced(by: error.offset), error.why)
            return
        }
        let allNames = flow.states.flatMap { $0.data.map(\.name) }
        let names = tree.dataNames.filter { name in
            allNames.contains(name) || !flow.tables.contains { $0.name == name }
        }
        let states = flow.states.indices.filter { index in
            names.allSatisfy { name in flow.states[index].data.contains { $0.name == name } }
        }
        if let missing = names.first(where: { !allNames.contains($0) }) {
            if !misdeclared.contains(missing) {
                findings.add(node.position, unknown("datum", missing, allNames.uniqued))
            }
            return
        }
        guard !states.isEmpty else {
            findings.add(
                node.position, "no state has all of these data: \(names.joined(separator: ", "))")
            return
        }
        let text = node.text ?? ""
        let conditions = states.compactMap {
            index -> (state: Int, expression: CompiledExpression, why: CompiledExpression)? in
            let (scope, readable) = (
                entryScope(index), SampleCollector.ReadableFields(state: index)
            )
            let why = why.flatMap { shownText($0, scope, readable) }
            return expression(node, as: .boolean, scope, readable).map {
                (index, $0, why ?? CompiledExpression(.string(text), .text))
            }
        }
        flow.invariants.append(InvariantDefinition(conditions: conditions, text: text))
    }
}

extension DocumentNode {
    /// A map without entries.
    static var emptyMap: DocumentNode { DocumentNode(content: .map([]), position: .start) }
}

extension [String] {
    /// The distinct elements in their order.
    var uniqued: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
