public import GameFlow

/// The JSON Schema (draft 2020-12) of flow files. YAML language servers use it for completion, and to show mistakes
/// while a file is written.
///
/// The schema uses the lists of keys of the `FlowFileChecker`. It describes only the form of a file. The checker also checks
/// whether names exist and whether expressions have the right type.
public enum FlowFileSchema {
    /// The schema as a JSON object.
    public static var members: [Member] {
        [
            Member("$schema", "https://json-schema.org/draft/2020-12/schema"),
            Member("title", "A flow file of gamed"),
        ] + root.members + [Member("$defs", .object(definitions))]
    }

    /// The form of a whole file.
    private static var root: SchemaNode {
        .map(FlowFileChecker.keys, required: ["flow", "start", "states"]) { key in
            switch key {
            case "format": .constant(.int(FlowFileChecker.format))
            case "flow": .name(extraCharacters: "-")
            case "start": .reference("name")
            case "settings": .mapByName(.any(of: [.scalar, setting]), limit: .settings)
            case "events": .mapByName(.reference("event"), limit: .events)
            case "data": .mapByName(.reference("datum"), limit: .data)
            case "effects": .valueOrList(.reference("name"), limit: .effects)
            case "states": .mapByName(.reference("state"), limit: .states, isEmptyAllowed: false)
            case "everywhere": .reference("everywhere")
            case "languages": .list(.languageName, limit: .languages, minimum: 1)
            case "tables": .mapByName(.reference("table"), limit: .tables)
            case "always": .list(.reference("invariant"), limit: .invariants)
            default: .reference("text")
            }
        }
    }

    /// The forms to which `SchemaNode.reference` refers by name.
    private static var definitions: [Member] {
        [
            Member("name", .object(SchemaNode.name().members)),
            Member("text", .object(SchemaNode.any(of: [.text, .textByLanguage]).members)),
            Member("event", .object(event.members)),
            Member("argument", .object(field(isDatum: false).members)),
            Member("datum", .object(field(isDatum: true).members)),
            Member("table", .object(table.members)),
            Member("state", .object(state.members)), Member("timer", .object(timer.members)),
            Member("rows", .object(rows.members)), Member("row", .object(row.members)),
            Member("effects", .object(effects.members)),
            Member("everywhere", .object(everywhere.members)),
            Member("invariant", .object(invariant.members)),
        ]
    }

    // MARK: declarations

    /// An event: a map of its arguments, or a map with the key `args` and further keys.
    private static var event: SchemaNode {
        let longForm = SchemaNode.map(FlowFileChecker.eventKeys, required: ["args"]) { key in
            switch key {
            case "args": .mapByName(.reference("argument"), limit: .arguments)
            case "hidden": .constant("players")
            case "confirm", "danger", "hint", "buzz": .constant(.bool(true))
            case "key", "collect": .scalar
            case "ticks": .reference("name")
            case "from": .valueOrList(.text, limit: .entries)
            case "suggest": .valueOrList(.reference("text"), limit: .entries)
            default: .reference("text")
            }
        }
        let shortForm = SchemaNode.mapByName(.reference("argument"), limit: .arguments)
        return .choice(having: "args", then: longForm, otherwise: shortForm)
    }

    /// An argument or a datum: a type, or a map with the key `type` and further keys.
    private static func field(isDatum: Bool) -> SchemaNode {
        let type = SchemaNode.type(isDatum: isDatum)
        let longForm = SchemaNode.map(FlowFileChecker.fieldKeys, required: ["type"]) { key in
            switch key {
            case "type": type
            case "default": .anything
            case "unless": .scalar
            case "hidden": .constant("players")
            case "samples": .list(.anything, limit: .samples)
            default: .reference("text")
            }
        }.with("dependentRequired", .object([Member("why", .array(["unless"]))]))
        return .any(of: [type, longForm])
    }

    /// A setting as a map.
    private static var setting: SchemaNode {
        .map(FlowFileChecker.settingKeys, required: ["type"]) { key in
            switch key {
            case "type": SchemaNode.type(isDatum: true)
            case "default": .scalar
            default: .reference("text")
            }
        }
    }

    /// A table: its columns, and its rows or the name of its file.
    private static var table: SchemaNode {
        let type = SchemaNode.type(isDatum: true)
        let column = SchemaNode.map(FlowFileChecker.columnKeys, required: ["type"]) { key in
            switch key {
            case "type": type
            case "default": .scalar
            default: .reference("text")
            }
        }
        return SchemaNode.map(FlowFileChecker.tableKeys, required: ["columns"]) { key in
            switch key {
            case "columns":
                .mapByName(.any(of: [type, column]), limit: .columns, isEmptyAllowed: false)
            case "rows":
                .list(
                    .mapByName(.any(of: [.scalar, .constant(.null)]), limit: .columns),
                    limit: .tableRows)
            default: .scalar
            }
        }.exactlyOne(of: ["rows", "file"])
    }

    private static var timer: SchemaNode {
        SchemaNode.map(FlowFileChecker.timerKeys) { key in
            switch key {
            case "after", "every", "until", "if": .scalar
            case "when":
                .map(FlowFileChecker.markKeys, required: FlowFileChecker.markKeys) {
                    $0 == "of" ? .reference("name") : .scalar
                }
            case "up", "paused", "overtime": .constant(.bool(true))
            case "restart": .enumeration(AfterRestart.allCases.map(\.rawValue))
            case "hidden": .constant("players")
            default: .reference("text")
            }
        }.exactlyOne(of: FlowFileChecker.timerForms)
    }

    // MARK: states and rows

    private static var state: SchemaNode {
        SchemaNode.map(FlowFileChecker.stateKeys, isNullAllowed: true) { key in
            switch key {
            case "data": .mapByName(.reference("datum"), limit: .data)
            case "timers": .mapByName(.reference("timer"), limit: .timers)
            case "on": .reference("rows")
            case "enter", "leave": .reference("effects")
            case "clock":
                .any(of: [
                    .reference("name"),
                    .map(FlowFileChecker.clockKeys, required: ["timer"]) {
                        $0 == "timer" ? .reference("name") : .constant(.bool(true))
                    },
                ])
            case "show": .map(FlowFileChecker.showKeys) { _ in .reference("text") }
            case "players": .valueOrList(.reference("name"), limit: .data)
            case "final": .constant(.bool(true))
            case "hidden": .constant("players")
            default: .reference("text")
            }
        }.excluding(["timers", "on", "leave"], with: "final")
    }

    /// Rows by the names of events and timers; one key may have several names. `as` names another event, whose rows count.
    private static var rows: SchemaNode {
        .map(
            keyPattern: #"^\s*[A-Za-z][A-Za-z0-9_]*(\s*,\s*[A-Za-z][A-Za-z0-9_]*)*\s*$"#,
            .any(of: [
                .reference("row"), SchemaNode.list(.reference("row"), limit: .rows, minimum: 1),
                .map(FlowFileChecker.aliasKeys, required: FlowFileChecker.aliasKeys) { _ in
                    .reference("name")
                },
            ]))
    }

    /// A row: the name of a state, the word `stay` or `defer`, or a map. In the map, `else` needs `if`, and `left` needs `to` or
    /// `back`.
    /// A row that refuses does nothing else. A row that enters a state does not operate timers, because the entry ends the
    /// timers of the old state.
    private static var row: SchemaNode {
        let map = SchemaNode.map(FlowFileChecker.keysOfRow) { key in
            switch key {
            case "if": .scalar
            case "else": .reference("row")
            case "refuse":
                .any(of: [.constant(.bool(true)), .text, .mapWithOneKey, .textByLanguage])
            case "to": .reference("name")
            case "back": .constant(.bool(true))
            case "do": .reference("effects")
            case "post": .any(of: [.reference("name"), .mapWithOneKey])
            case "pause", "resume", "restart": .valueOrList(.reference("name"), limit: .timers)
            default: .mapByName(.anything, limit: .data)
            }
        }
        let otherKeys = FlowFileChecker.keysOfRow.filter { !["if", "else", "refuse"].contains($0) }
        let operations = TimerRequest.Kind.allCases.map(\.rawValue)
        return .any(of: [
            .reference("name"),
            map.with("dependentRequired", .object([Member("else", .array(["if"]))]))
                .with(
                    "dependentSchemas",
                    .object([
                        Member("refuse", SchemaNode.without(otherKeys)),
                        Member("to", SchemaNode.without(operations)),
                        Member("back", SchemaNode.without(operations + ["to"])),
                        Member(
                            "left",
                            .object([
                                Member(
                                    "anyOf",
                                    .array([
                                        .object([Member("required", .array(["to"]))]),
                                        .object([Member("required", .array(["back"]))]),
                                    ]))
                            ])),
                    ])),
        ])
    }

    /// Effects to request: a name, a map from names to arguments, or a list of names and maps.
    private static var effects: SchemaNode {
        let arguments = SchemaNode.mapByName(
            .any(of: [.scalar, .textByLanguage]), limit: .arguments)
        let effect = SchemaNode.any(of: [
            .reference("name"),
            SchemaNode.mapByName(arguments, limit: .effects, isNullAllowed: false),
        ])
        return .valueOrList(effect, limit: .effects)
    }

    private static var everywhere: SchemaNode {
        .map(FlowFileChecker.everywhereKeys) { key in
            key == "on" ? .reference("rows") : .valueOrList(.reference("name"), limit: .states)
        }
    }

    private static var invariant: SchemaNode {
        .map(FlowFileChecker.invariantKeys, required: ["that"]) {
            $0 == "that" ? .scalar : .reference("text")
        }
    }
}
