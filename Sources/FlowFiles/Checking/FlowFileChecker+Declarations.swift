internal import GameFlow
internal import Support

/// Reads settings, effects and events in the checker's first pass, and the conditions of the events' arguments in the second,
/// when all declarations are known. A mistake in the file is added to `findings`.
extension FlowFileChecker {
    /// Reads the key `settings`: a map of names and defaults.
    func declareSettings(_ node: DocumentNode) {
        let entries = namedEntries(node, "the settings", .settings)
        for entry in entries {
            if !flow.languages.isEmpty, entry.key == Self.languageSetting {
                findings.add(
                    entry.position,
                    "a flow with languages has the setting language already; remove it here")
                continue
            }
            if entry.value.entries != nil {
                declareSetting(entry)
                continue
            }
            guard let text = entry.value.text, !entry.value.isEmpty else {
                findings.add(
                    entry.value.position,
                    "\(entry.key) needs a default, which gives its type: \(entry.key): 60m")
                continue
            }
            if text.unicodeScalars.count > FlowFileLimit.textLength.maximum {
                findings.add(entry.value.position, exceeding: .textLength)
            }
            let (type, value) = Self.typeAndValue(text, isQuoted: entry.value.isQuoted)
            if !entry.value.isQuoted { warnOfDefault(text, type, entry.value.position) }
            flow.settings.append(
                SettingDefinition(
                    field: FieldDefinition(name: entry.key, type: type), defaultValue: value))
        }
        misdeclared.formUnion(
            entries.map(\.key).filter { name in !flow.settings.contains { $0.name == name } })
    }

    /// The keys of a setting that is a map.
    static let settingKeys = ["type", "default", "title", "note"]
    /// The types that a setting can have.
    private static let settingTypes: [DataType] = [.integer, .boolean, .text, .duration, .time]

    /// Reads a setting that is a map: its type, which may have limits, its default and its texts.
    private func declareSetting(_ entry: DocumentEntry) {
        guard let map = MapReader(entry.value, "a setting", keys: Self.settingKeys, findings) else {
            return
        }
        guard let type = map["type"] else {
            findings.add(entry.position, "\(entry.key) has no type; write type: time, for example")
            return
        }
        guard var field = field(entry.key, type: type, isDatum: true) else { return }
        let isOneOf = if case .oneOf = field.type { true } else { false }
        guard isOneOf || Self.settingTypes.contains(field.type) else {
            findings.add(type.position, "a setting cannot have the type '\(field.type.name)'")
            return
        }
        (field.title, field.note) = (text(map["title"]), text(map["note"]))
        if let node = map["default"] {
            field.defaultValue = defaultValue(of: field, node)
        } else if field.defaultValue == nil {
            findings.add(entry.position, "\(entry.key) needs a default")
        }
        guard let value = field.defaultValue else { return }
        flow.settings.append(SettingDefinition(field: field, defaultValue: value))
    }

    /// Reads the default of a datum or a setting; null, with a finding, if it is not a value of the field's type. A field without a
    /// default would cause further findings.
    private func defaultValue(of field: FieldDefinition, _ node: DocumentNode) -> Value {
        if field.defaultValue != nil, field.type.items == nil, !field.type.isOrder {
            findings.add(node.position, "\(field.name) has a default after its type already")
        }
        do throws(Literal.LiteralError) {
            let value = try Literal.read(node, as: field.type)
            if let why = field.violation(value) {
                findings.add(node.position, "the default of \(field.name) is \(why)")
            }
            return value
        } catch {
            findings.add(error.position, "the default of \(field.name): \(error.why)")
            return .null
        }
    }

    /// Warns of a default without quotes whose type may not be the one that its author means.
    private func warnOfDefault(_ text: String, _ type: DataType, _ position: FilePosition) {
        if type == .integer { return warnOfLeadingZero(text, position) }
        guard type == .text, let replacement = MistakableText.replacement(of: text) else { return }
        findings.warn(
            position, "\(text) is read as a text; write \(replacement), or '\(text)' for a text")
    }

    /// Returns the type and the value of a setting's default. A default in quotes is always a text. The value of a duration is
    /// in milliseconds.
    private static func typeAndValue(_ text: String, isQuoted: Bool)
        -> (type: DataType, value: Value)
    {
        if !isQuoted {
            if let number = Literal.integer(text) { return (.integer, .int(number)) }
            if let duration = Literal.duration(text) { return (.duration, .int(duration)) }
            if text == "true" || text == "false" { return (.boolean, .bool(text == "true")) }
        }
        return (.text, .string(text))
    }

    /// Reads the key `effects`: a list of the effects that the flow may request, by name.
    func declareEffects(_ node: DocumentNode) {
        let effects = texts(node, "the name of an effect")
        if effects.count > FlowFileLimit.effects.maximum {
            findings.add(effects[FlowFileLimit.effects.maximum].position, exceeding: .effects)
        }
        for (name, position) in effects.prefix(FlowFileLimit.effects.maximum) {
            if let why = TextForm.nameMistake(name) {
                findings.add(position, why)
            } else if flow.effects.contains(name) {
                findings.add(position, "the effect \(name) is here twice")
            } else {
                flow.effects.append(name)
            }
        }
    }

    // MARK: events

    /// Reads the key `events`. In the short form, an event is a map of its arguments. In the long form, the map has the key
    /// `args` for the arguments, and further keys.
    func declareEvents(_ node: DocumentNode) {
        for entry in namedEntries(node, "the events", .events) {
            var event = EventDefinition(name: entry.key)
            var argumentsNode = entry.value
            if entry.value.entries?.contains(where: { $0.key == "args" }) == true {
                guard let node = longForm(entry.value, &event) else { continue }
                argumentsNode = node
            }
            let fields = namedEntries(argumentsNode, "the arguments of \(entry.key)", .arguments)
            event.arguments = fields.compactMap { field($0, isDatum: false) }
            checkWireNames(event.arguments, entry.position)
            if event.offer.isBuzzer { warnOfArguments(ofBuzzer: event, fields) }
            flow.events.append(event)
            // `resolveEvents` reads the conditions in these nodes.
            eventNodes.append((entry, fields))
        }
    }

    /// The keys of an event in the long form.
    static let eventKeys = [
        "args", "title", "note", "hidden", "from", "suggest", "confirm", "danger", "key", "hint",
        "buzz", "ticks", "collect",
    ]

    /// Reads the keys of an event in the long form into `event`, except the arguments, whose node it returns.
    private func longForm(_ node: DocumentNode, _ event: inout EventDefinition) -> DocumentNode? {
        guard let map = MapReader(node, "an event", keys: Self.eventKeys, findings) else {
            return nil
        }
        (event.title, event.note) = (text(map["title"]), text(map["note"]))
        event.isHiddenFromPlayers = isHidden(map["hidden"])
        event.sources = texts(map["from"], "the kind of a source").map(\.text)
        event.suggestions = texts(map["suggest"], "a text").map(\.text)
        event.offer = offer(map)
        event.collectingTime = map["collect"].flatMap(collectingTime)
        return map["args"]
    }

    /// For how long events of a name wait for each other.
    private func collectingTime(_ node: DocumentNode) -> Duration? {
        let longest = EventSchema<FileEvent>.longestCollecting
        guard let text = node.text, !node.isQuoted, let time = DurationText.read(text),
            time > .zero, time <= longest
        else {
            let limit = DurationText.write(longest)
            findings.add(
                node.position, "collect: expected a duration up to \(limit), such as 150ms")
            return nil
        }
        return time
    }

    /// Reads how the screens offer an event.
    private func offer(_ map: MapReader) -> FlowPresentation.Offer {
        var offer = FlowPresentation.Offer()
        offer.needsConfirmation = flag("confirm", map)
        offer.isDangerous = flag("danger", map)
        offer.isHint = flag("hint", map)
        offer.isBuzzer = flag("buzz", map)
        if offer.isBuzzer, offer.needsConfirmation, let position = map.position(of: "confirm") {
            findings.add(position, "a buzzer asks nothing; remove confirm or buzz")
        }
        offer.key = map["key"].flatMap(deskKey)
        offer.ticks = text(map["ticks"])
        return offer
    }

    /// Warns of the arguments of a buzzer that the button of a phone does not send.
    private func warnOfArguments(ofBuzzer event: EventDefinition, _ entries: [DocumentEntry]) {
        for argument in event.arguments
        where argument.name != EventRecord.playerArgument && !argument.type.isOptional {
            guard let entry = entries.first(where: { $0.key == argument.name }) else { continue }
            findings.warn(
                entry.position,
                "the button of a phone sends only player; remove \(argument.name) or make it optional, unless a rule or an invitation binds it"
            )
        }
    }

    /// Whether a key that can only be `true` is given.
    func flag(_ key: String, _ map: MapReader) -> Bool {
        guard let node = map[key] else { return false }
        if node.text != "true" || node.isQuoted {
            findings.add(node.position, "expected \(key): true")
        }
        return true
    }

    /// Reads the key of the desk's keyboard for an event: a letter or a digit that no other event has.
    private func deskKey(_ node: DocumentNode) -> String? {
        let key = (node.text ?? "").lowercased()
        guard key.utf8.count == 1, let byte = key.utf8.first,
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        else {
            findings.add(node.position, "expected one letter or digit, such as key: r")
            return nil
        }
        if let other = flow.events.first(where: { $0.offer.key == key }) {
            findings.add(node.position, "\(key) is the key of \(other.name) already")
        }
        return key
    }

    /// Compiles the conditions of the events' arguments. A condition can use all arguments of its event, and the settings.
    func resolveEvents() {
        for (index, nodes) in eventNodes.enumerated() {
            let arguments = flow.events[index].arguments.map(\.variable)
            let scope = ExpressionScope(arguments: arguments, settings: flow.settingVariables)
            if let node = nodes.entry.value.entries?.first(where: { $0.key == "ticks" })?.value {
                checkTicks(flow.events[index], node.position)
            }
            for entry in nodes.fields {
                // An argument whose declaration has a mistake is not in `arguments`.
                guard let argument = arguments.firstIndex(where: { $0.name == entry.key }) else {
                    continue
                }
                flow.events[index].arguments[argument].condition = fieldCondition(
                    entry, scope, .init(event: index))
            }
        }
    }

    /// Checks the key `ticks` of an event: it names a checklist, and the only argument of the event is one of its items.
    private func checkTicks(_ event: EventDefinition, _ position: FilePosition) {
        guard let name = event.offer.ticks else { return }
        let lists = (flow.data + flow.states.flatMap(\.data)).filter { $0.type.items != nil }
        guard let list = lists.first(where: { $0.name == name }) else {
            return findings.add(position, unknown("checklist", name, lists.map(\.name).uniqued))
        }
        let isItem =
            event.arguments.count == 1 && event.arguments[0].type == .oneOf(list.type.items ?? [])
        if !isItem {
            findings.add(
                position,
                "the only argument of \(event.name) must be one of \((list.type.items ?? []).joined(separator: ", "))"
            )
        }
    }

    // MARK: arguments and data

    /// Reads the key `data` of the file: the data that every state carries. Each has a default, because no row provides it.
    func declareFlowData(_ node: DocumentNode) {
        flowDataNodes = namedEntries(node, "the data of the flow", .data)
        for entry in flowDataNodes {
            guard var field = field(entry, isDatum: true) else { continue }
            field.isOfFlow = true
            if field.defaultValue == nil, !field.type.isOptional {
                findings.add(
                    entry.position,
                    "\(entry.key) needs a default, because it is there from the opening on: \(entry.key): \(field.type.name) = …"
                )
            }
            flow.data.append(field)
        }
        checkWireNames(flow.data, node.position)
    }

    /// The keys of an argument or a datum that is a map.
    static let fieldKeys = [
        "type", "default", "unless", "why", "title", "note", "hidden", "samples",
    ]

    /// Reads the declaration of an argument or a datum: a type, or a map with the key `type`. `fieldCondition` compiles the
    /// condition (`unless`) later. Returns nil, with a finding, if there is no valid type.
    func field(_ entry: DocumentEntry, isDatum: Bool) -> FieldDefinition? {
        guard let field = declaredField(entry, isDatum: isDatum) else {
            misdeclared.insert(entry.key)
            return nil
        }
        return field
    }

    private func declaredField(_ entry: DocumentEntry, isDatum: Bool) -> FieldDefinition? {
        guard entry.value.entries != nil else {
            return field(entry.key, type: entry.value, isDatum: isDatum)
        }
        let title = isDatum ? "a datum" : "an argument"
        guard let map = MapReader(entry.value, title, keys: Self.fieldKeys, findings) else {
            return nil
        }
        guard let type = map["type"] else {
            findings.add(
                entry.position, "\(entry.key) has no type; write type: integer, for example")
            return nil
        }
        guard var field = field(entry.key, type: type, isDatum: isDatum) else { return nil }
        (field.title, field.note) = (text(map["title"]), text(map["note"]))
        field.isHiddenFromPlayers = isHidden(map["hidden"])
        if let node = map["default"] {
            if isDatum {
                field.defaultValue = defaultValue(of: field, node)
            } else {
                findings.add(node.position, "an argument has no default; declare it as optional")
            }
        }
        if let node = map["samples"] { field.samples = sampleValues(node, field) }
        if map["unless"] == nil, let position = map.position(of: "why") {
            findings.add(position, "why gives the reason of unless, which is missing")
        }
        return field
    }

    /// Reads a type with its limits and, for a datum, its default: `integer 0..5 = 1`.
    private func field(_ name: String, type node: DocumentNode, isDatum: Bool) -> FieldDefinition? {
        guard let text = node.text else {
            findings.add(node.position, "expected the type of \(name), not \(node.kind)")
            return nil
        }
        do {
            let type = try TypeText(text)
            guard let resolvedType = resolved(type.type, node.position) else { return nil }
            var field = FieldDefinition(name: name, type: resolvedType)
            field.limits = type.limits
            if let defaultText = type.defaultText {
                guard isDatum else {
                    findings.add(
                        node.position, "an argument has no default; declare it as optional")
                    return field
                }
                field.defaultValue = defaultValue(
                    of: field,
                    DocumentNode(
                        content: .scalar(defaultText, isQuoted: true), position: node.position))
            } else if !isDatum, field.type.unwrapped.isOrder {
                findings.add(node.position, "an order is a datum, not an argument")
            } else if !isDatum, field.type.unwrapped.items != nil {
                findings.add(node.position, "a checklist is a datum; an argument is one of it")
            } else if field.type.items != nil || field.type.isOrder {
                // A checklist or an order begins empty.
                field.defaultValue = .array([])
            }
            return field
        } catch {
            // Without the key `args`, each key of the event is an argument. The author may have meant a key of the long form.
            let keys = Self.eventKeys.filter { $0 != "args" }
            let hint =
                !isDatum && keys.contains(name)
                ? "; an event with a \(name) has the key args: {args: {}, \(name): …}" : ""
            findings.add(node.position, error.why + hint)
            guard let type = error.type else { return nil }
            var field = FieldDefinition(name: name, type: type)
            // The default is not read, but there is one.
            if text.contains("=") { field.defaultValue = .null }
            return field
        }
    }

    /// Reads the key `samples`: values that the analyses, such as lint, try for the argument or datum.
    private func sampleValues(_ node: DocumentNode, _ field: FieldDefinition) -> [Value] {
        guard case .list(let nodes) = node.content else {
            findings.add(node.position, "expected a list of samples, not \(node.kind)")
            return []
        }
        if nodes.count > FlowFileLimit.samples.maximum {
            findings.add(node.position, exceeding: .samples)
        }
        return nodes.prefix(FlowFileLimit.samples.maximum).compactMap { node in
            do throws(Literal.LiteralError) {
                return try Literal.read(node, as: field.type)
            } catch {
                findings.add(error.position, error.why)
                return nil
            }
        }
    }

    /// Compiles the key `unless` of an argument or datum: a value is refused if this condition is false. Returns nil if the key
    /// is missing. If the condition has a mistake, adds a finding and returns nil. `scope` has the names that the condition can
    /// use. `readable` is the event or the state to which the arguments or data among these names belong. Without the key
    /// `why`, the reason of a refusal is the word `not`, followed by the text of the condition.
    func fieldCondition(
        _ entry: DocumentEntry, _ scope: ExpressionScope, _ readable: SampleCollector.ReadableFields
    ) -> FieldCondition? {
        guard let unless = entry.value.entries?.first(where: { $0.key == "unless" })?.value else {
            return nil
        }
        let why = entry.value.entries?.first { $0.key == "why" }
            .flatMap { shownText($0.value, scope, readable) }
        guard let expression = expression(unless, as: .boolean, scope, readable) else { return nil }
        let condition = CompiledExpression(.string("not \(unless.text ?? "allowed")"), .text)
        return FieldCondition(expression: expression, why: why ?? condition)
    }

    /// Adds a finding if two arguments, or two data, would have the same name on the wire, such as `left: duration` and
    /// `leftMs: integer`.
    func checkWireNames(_ fields: [FieldDefinition], _ position: FilePosition) {
        for field in fields where field.wireName != field.name {
            guard fields.contains(where: { $0.name == field.wireName }) else { continue }
            findings.add(
                position,
                "\(field.name) is a duration and therefore has the name \(field.wireName) on the wire, but \(field.wireName) is declared, too"
            )
        }
    }
}
