internal import GameFlow

/// A part of the JSON Schema of flow files: the schema of one form of value. `FlowFileSchema` builds the whole schema from
/// these parts.
struct SchemaNode {
    /// The keywords of JSON Schema with their values.
    private(set) var members: [Member]

    private init(_ members: [Member]) { self.members = members }

    // MARK: scalars

    /// A text for people. A number or a boolean is allowed as well, because YAML reads a `5` without quotes as a number.
    static var text: SchemaNode {
        scalar.with("maxLength", .int(FlowFileLimit.textLength.maximum))
    }

    /// The name of a language.
    static var languageName: SchemaNode {
        SchemaNode([
            Member("type", "string"), Member("pattern", "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$"),
        ])
    }

    /// A text for people in several languages.
    static var textByLanguage: SchemaNode {
        SchemaNode([
            Member("type", "object"), Member("propertyNames", .object(languageName.members)),
            Member("additionalProperties", .object(text.members)), Member("minProperties", 1),
            Member("maxProperties", .int(FlowFileLimit.languages.maximum)),
        ])
    }

    /// A single value, such as a literal or an expression.
    static var scalar: SchemaNode {
        SchemaNode([Member("type", .array(["string", "number", "boolean"]))])
    }

    /// Any value. The empty schema allows all values.
    static var anything: SchemaNode { SchemaNode([]) }

    /// A name: a letter, then letters, digits, `_` and the characters of `extraCharacters`.
    static func name(extraCharacters: String = "") -> SchemaNode {
        let reserved = TextForm.reserved.sorted().map { Value.string($0) }
        return SchemaNode([
            Member("type", "string"),
            Member("pattern", .string("^[A-Za-z][A-Za-z0-9_\(extraCharacters)]*$")),
            Member("maxLength", .int(FlowFileLimit.nameLength.maximum)),
            Member("not", .object([Member("enum", .array(reserved))])),
        ])
    }

    /// A type as it is declared: `integer 0..5`, `one of a, b`, and for data also `integer = 0`.
    static func type(isDatum: Bool) -> SchemaNode {
        let words = TypeText.firstWords.filter { !$0.hasSuffix(" of") && $0 != "optional" }
        let typeAndRange =
            "(\(words.joined(separator: "|")))( +[^ =]+)?|(one|checklist|order) +of +[^=]+"
        let defaultOrEnd = isDatum ? " *(=.*)?$" : " *$"
        return SchemaNode([
            Member("type", "string"),
            Member("pattern", .string("^(optional +)?(\(typeAndRange))\(defaultOrEnd)")),
        ])
    }

    static func constant(_ value: Value) -> SchemaNode { SchemaNode([Member("const", value)]) }

    /// One of these texts.
    static func enumeration(_ texts: [String]) -> SchemaNode {
        SchemaNode([Member("enum", .array(texts.map { .string($0) }))])
    }

    // MARK: lists and maps

    /// A list of at least `minimum` and at most `limit` values of the form `node`.
    static func list(_ node: SchemaNode, limit: FlowFileLimit, minimum: Int = 0) -> SchemaNode {
        let minItems = minimum > 0 ? [Member("minItems", .int(minimum))] : []
        return SchemaNode(
            [Member("type", "array"), Member("items", .object(node.members))] + minItems
                + [Member("maxItems", .int(limit.maximum))])
    }

    /// A value of the form `node`, or a list of values of this form. The list may be empty.
    static func valueOrList(_ node: SchemaNode, limit: FlowFileLimit) -> SchemaNode {
        any(of: [node, list(node, limit: limit)])
    }

    /// A map that may have only the keys in `keys`. The keys in `required` must be in the map. `node` returns the form of the
    /// value of a key. If `isNullAllowed` is true, the map itself may be missing, which YAML reads as null.
    static func map(
        _ keys: [String], required: [String] = [], isNullAllowed: Bool = false,
        _ node: (String) -> SchemaNode
    ) -> SchemaNode {
        let properties = keys.map { Member($0, .object(node($0).members)) }
        let required =
            required.isEmpty ? [] : [Member("required", .array(required.map { .string($0) }))]
        return SchemaNode(
            [
                Member("type", isNullAllowed ? .array(["object", "null"]) : "object"),
                Member("properties", .object(properties)),
            ] + required + [Member("additionalProperties", .bool(false))])
    }

    /// A map whose keys are names and whose values have the form `node`. YAML reads a missing value as null, which stands for
    /// an empty map.
    static func mapByName(
        _ node: SchemaNode, limit: FlowFileLimit, isEmptyAllowed: Bool = true,
        isNullAllowed: Bool = true
    ) -> SchemaNode {
        let isNullAllowed = isNullAllowed && isEmptyAllowed
        return SchemaNode(
            [
                Member("type", isNullAllowed ? .array(["object", "null"]) : "object"),
                Member("propertyNames", .object(reference("name").members)),
                Member("additionalProperties", .object(node.members)),
                Member("maxProperties", .int(limit.maximum)),
            ] + (isEmptyAllowed ? [] : [Member("minProperties", 1)]))
    }

    /// A map whose keys match a regular expression, and whose values have the form `node`.
    static func map(keyPattern pattern: String, _ node: SchemaNode) -> SchemaNode {
        SchemaNode([
            Member("type", .array(["object", "null"])),
            Member("propertyNames", .object([Member("pattern", .string(pattern))])),
            Member("additionalProperties", .object(node.members)),
        ])
    }

    /// A map with one entry.
    static var mapWithOneKey: SchemaNode {
        SchemaNode([
            Member("type", "object"), Member("minProperties", 1), Member("maxProperties", 1),
        ])
    }

    // MARK: combinations

    /// The form with this name under `$defs`, where `FlowFileSchema` puts it.
    static func reference(_ name: String) -> SchemaNode {
        SchemaNode([Member("$ref", .string("#/$defs/\(name)"))])
    }

    /// A value that has at least one of these forms.
    static func any(of nodes: [SchemaNode]) -> SchemaNode {
        SchemaNode([Member("anyOf", .array(nodes.map { .object($0.members) }))])
    }

    /// A map that has the key `key` has the form `then`; any other value has the form `otherwise`.
    static func choice(having key: String, then: SchemaNode, otherwise: SchemaNode) -> SchemaNode {
        SchemaNode([
            Member(
                "if",
                .object([Member("type", "object"), Member("required", .array([.string(key)]))])),
            Member("then", .object(then.members)), Member("else", .object(otherwise.members)),
        ])
    }

    /// Adds a member to the schema.
    func with(_ name: String, _ value: Value) -> SchemaNode {
        SchemaNode(members + [Member(name, value)])
    }

    /// Requires that a map has exactly one of the keys.
    func exactlyOne(of keys: [String]) -> SchemaNode {
        with(
            "oneOf",
            .array(keys.map { .object([Member("required", .array([.string($0)]))]) }))
    }

    /// Forbids `keys` in a map that has the key `key`.
    func excluding(_ keys: [String], with key: String) -> SchemaNode {
        with("dependentSchemas", .object([Member(key, Self.without(keys))]))
    }

    /// The schema of maps without these keys.
    static func without(_ keys: [String]) -> Value {
        .object([Member("properties", .object(keys.map { Member($0, .bool(false)) }))])
    }
}
