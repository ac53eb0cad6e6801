public import GameFlow

/// The JSON Schema (draft 2020-12) of flow files. YAML language servers use it for completion, and to show mistakes
/// while a file is written.
///
/// It uses the same lists of keys as the checker. A schema describes only the form of a file. `FlowFile` also checks whether
/// names exist and whether expressions have the right type.
public enum FlowFileSchema {
    /// The schema as a JSON object.
    public static var members: [Member] {
        [
            Member("$schema", "https://json-schema.org/draft/2020-12/schema"),
            Member("title", "A flow file of gamed"),
        ] + root.members + [Member("$defs", .object(definitions))]
    }

    private static var root: SchemaNode {
        .map(FlowFileChecker.keys, required: ["flow", "start", "states"]) { key in
            switch key {
            case "format": .constant(.int(FlowFileChecker.format))
            case "flow": .name(also: "-")
            case "start": .reference("name")
            case "settings": .names(.scalar, limit: .settings)
            case "events": .names(.reference("event"), limit: .events)
            case "effects": .oneOrMore(.reference("name"), limit: .effects)
            case "states": .names(.reference("state"), limit: .states, isEmptyAllowed: false)
            case "everywhere": .reference("everywhere")
            case "always": .list(.reference("invariant"), limit: .invariants)
            default: .text
            }
        }
    }

    private static var definitions: [Member] {
        [
            Member("name", .object(SchemaNode.name().members)),
            Member("event", .object(event.members)),
            Member("argument", .object(field(isDatum: false).members)),
            Member("datum", .object(field(isDatum: true).members)),
            Member("state", .object(state.members)), Member("timer", .object(timer.members)),
            Member("rows", .object(rows.members)), Member("row", .object(row.members)),
            Member("effects", .object(effects.members)),
            Member("everywhere", .object(everywhere.members)),
            Member("invariant", .object(invariant.members)),
        ]
    }

    // MARK: declarations

    private static var event: SchemaNode {
        let long = SchemaNode.map(FlowFileChecker.eventKeys, required: ["args"]) { key in
            switch key {
            case "args": .names(.reference("argument"), limit: .arguments)
            case "hidden": .constant("players")
            case "from": .oneOrMore(.text, limit: .entries)
            case "suggest": .oneOrMore(.text, limit: .entries)
            default: .text
            }
        }
        let short = SchemaNode.names(.reference("argument"), limit: .arguments)
        return .choice(having: "args", then: long, otherwise: short)
    }

    private static func field(isDatum: Bool) -> SchemaNode {
        let type = SchemaNode.type(isDatum: isDatum)
        let long = SchemaNode.map(FlowFileChecker.fieldKeys, required: ["type"]) { key in
            switch key {
            case "type": type
            case "unless": .scalar
            case "hidden": .constant("players")
            case "samples": .list(.anything, limit: .samples)
            default: .text
            }
        }.with("dependentRequired", .object([Member("why", .array(["unless"]))]))
        return .any(of: [type, long])
    }

    private static var timer: SchemaNode {
        SchemaNode.map(FlowFileChecker.timerKeys) { key in
            switch key {
            case "after", "every", "if": .scalar
            case "restart": .values(AfterRestart.allCases.map(\.rawValue))
            case "hidden": .constant("players")
            default: .text
            }
        }.exactlyOne(of: ["after", "every"])
    }

    // MARK: states and rows

    private static var state: SchemaNode {
        SchemaNode.map(FlowFileChecker.stateKeys, isNullAllowed: true) { key in
            switch key {
            case "data": .names(.reference("datum"), limit: .data)
            case "timers": .names(.reference("timer"), limit: .timers)
            case "on": .reference("rows")
            case "enter": .reference("effects")
            case "clock": .reference("name")
            case "show": .map(FlowFileChecker.showKeys) { _ in .text }
            case "final": .constant(.bool(true))
            case "hidden": .constant("players")
            default: .text
            }
        }.excluding(["timers", "on"], with: "final")
    }

    /// Rows by the names of events and timers; one key may have several names.
    private static var rows: SchemaNode {
        .map(
            named: #"^\s*[A-Za-z][A-Za-z0-9_]*(\s*,\s*[A-Za-z][A-Za-z0-9_]*)*\s*$"#,
            .any(of: [
                .reference("row"), SchemaNode.list(.reference("row"), limit: .rows, minimum: 1),
            ]))
    }

    private static var row: SchemaNode {
        let map = SchemaNode.map(FlowFileChecker.keysOfRow) { key in
            switch key {
            case "if": .scalar
            case "else": .reference("row")
            case "refuse": .any(of: [.constant(.bool(true)), .mapWithOneKey])
            case "to": .reference("name")
            case "do": .reference("effects")
            case "post": .any(of: [.reference("name"), .mapWithOneKey])
            case "pause", "resume", "restart": .oneOrMore(.reference("name"), limit: .timers)
            default: .names(.anything, limit: .data)
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
                        Member("left", .object([Member("required", .array(["to"]))])),
                    ])),
        ])
    }

    private static var effects: SchemaNode {
        let arguments = SchemaNode.names(.scalar, limit: .arguments)
        let effect = SchemaNode.any(of: [
            .reference("name"), SchemaNode.names(arguments, limit: .effects, isNullAllowed: false),
        ])
        return .oneOrMore(effect, limit: .effects)
    }

    private static var everywhere: SchemaNode {
        .map(FlowFileChecker.everywhereKeys) { key in
            key == "on" ? .reference("rows") : .oneOrMore(.reference("name"), limit: .states)
        }
    }

    private static var invariant: SchemaNode {
        .map(FlowFileChecker.invariantKeys, required: ["that"]) { $0 == "that" ? .scalar : .text }
    }
}
