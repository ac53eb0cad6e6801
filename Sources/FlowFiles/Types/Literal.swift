internal import GameFlow
internal import Support
internal import Timers

/// Reads the literals of a flow file, which are its constant values. The expected type decides how a literal is read; quotes
/// make no difference.
enum Literal {
    /// The error for a literal that does not have the expected type.
    struct LiteralError: DescribedError {
        let position: FilePosition
        let why: String
    }

    /// Reads a node. Throws, with the position of the mistake, if it is not a literal of the type.
    static func read(_ node: DocumentNode, as type: DataType) throws(LiteralError) -> Value {
        if node.isEmpty {
            throw LiteralError(
                position: node.position, why: "a value is missing here; write '' for an empty text")
        }
        switch (node.content, type) {
        case (.scalar(let text, _), _):
            do { return try read(text, as: type) } catch {
                throw LiteralError(position: node.position, why: error.why)
            }
        case (.list(let nodes), .set):
            var texts: [Value] = []
            for node in nodes { texts.append(try read(node, as: .text)) }
            return .array(texts)
        case (.list(let nodes), .checklist(let names)):
            var ticked: [Value] = []
            for node in nodes { ticked.append(try read(node, as: .oneOf(names))) }
            return ValueOperation.checklist(of: names) { ValueOperation.contains(ticked, $0) }
        case (.list(let nodes), .order):
            var numbers: [Value] = []
            for node in nodes { numbers.append(try read(node, as: .integer)) }
            do { return try FieldDefinition(name: "", type: type).read(.array(numbers)) } catch {
                throw LiteralError(position: node.position, why: error.why)
            }
        case (.map(let entries), .tally):
            var members: [Member] = []
            for entry in entries {
                members.append(Member(entry.key, try read(entry.value, as: .integer)))
            }
            return .object(members)
        case (_, .optional(let type)): return try read(node, as: type)
        default:
            throw LiteralError(
                position: node.position, why: "expected \(type.name), not \(node.kind)")
        }
    }

    /// Reads a literal that is a single text, such as the value of a setting. Throws if it is not a literal of the type.
    static func read(_ text: String, as type: DataType) throws(ArgumentError) -> Value {
        let value: Value? =
            switch type {
            case .integer: integer(text).map { .int($0) }
            case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
            case .text: .string(text)
            case .duration: signedDuration(text).map { .int($0) }
            case .oneOf(let names):
                names.contains(where: text.hasSameBytes) ? .string(text) : nil
            case .link: TextForm.isLink(text) ? .string(text) : nil
            case .address: TextForm.canonicalAddress(text).map { .string($0) }
            case .time: TimeOfDay(text).map { .string($0.description) }
            case .checklist, .order: text == "none" ? .array([]) : nil
            case .set: text == "none" ? .array([]) : nil
            case .tally: text == "none" ? .object([]) : nil
            case .optional(let type):
                text == "null" ? .null : try self.read(text, as: type)
            case .null, .emptyCollection: nil
            }
        guard let value else { throw ArgumentError(mistake(text, type)) }
        return value
    }

    /// Returns the sentence for a text that is not a literal of the type.
    private static func mistake(_ text: String, _ type: DataType) -> String {
        let excerpt = text.isEmpty ? "nothing" : text.prefix(32).debugDescription
        switch type {
        case .oneOf(let names):
            // The name of the type has all the names.
            let question = DidYouMean.question(text, names).map { "; \($0)" } ?? ""
            return "expected \(type.name), not \(excerpt)\(question)"
        case .boolean: return "expected true or false, not \(excerpt)"
        case .duration:
            return "expected \(DurationText.expectation(insteadOf: text)), not \(excerpt)"
        case .integer: return "expected an integer, not \(excerpt)"
        case .time: return "expected a time of day such as 20:00, not \(excerpt)"
        case .set, .tally, .checklist, .order:
            return "expected a \(type.name), not \(excerpt); write none for an empty \(type.name)"
        default: return "expected \(type.name), not \(excerpt)"
        }
    }

    /// Returns the integer that a text writes as digits, or as `-` and digits. Nil for any other text, and for an integer that
    /// is not within ±(2^53 − 1).
    static func integer(_ text: String) -> Int? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        // 2^53 − 1 has 16 digits.
        guard !digits.isEmpty, digits.utf8.count <= 16,
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), abs(number) <= Value.largest
        else { return nil }
        return number
    }

    /// Returns a duration in milliseconds; nil if the text is not a duration of at most ten years.
    static func duration(_ text: String) -> Int? {
        DurationText.read(text).map { Int($0.milliseconds) }
    }

    /// Returns a duration in milliseconds that may be negative, such as `-5s`; nil if the text is no such duration.
    static func signedDuration(_ text: String) -> Int? {
        DurationText.readSigned(text).map { Int($0.milliseconds) }
    }
}
