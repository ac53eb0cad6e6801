import EventLoop
import GameFlow
import Inputs
import JSONCoding
import Net

/// Reads the part of an `on` line that is about an OSC message.
extension OnDirective {
    /// The message that the line describes. Throws an error with the position of the mistake.
    func osc() throws(ConfigurationFile.ConfigurationError) -> OSCOutput {
        guard case .network(let host, let port)? = Address(try text("to")), port > 0,
            HostLookup.numericAddresses(of: host, port) != nil
        else { throw mistake("to", "expected a numeric address and a port") }
        let address = try text("address")
        guard address.hasPrefix("/") else {
            throw mistake("address", "expected an OSC address such as /cue/1/start")
        }
        return OSCOutput(
            connection: try connection("osc"), host: host, port: port,
            address: try template("address", address), arguments: try arguments())
    }

    /// The templates of the arguments: the elements of the JSON list in `args=`. The list is not read as a `Value`, because a
    /// value does not tell `1.0` from `1`.
    private func arguments() throws(ConfigurationFile.ConfigurationError) -> [OSCArgumentTemplate] {
        guard let text = optionalText("args") else { return [] }
        var json = JSONText()
        guard (try? json.read(Array(text.utf8)[...])) != nil, json.kind(JSONText.root) == .array
        else { throw mistake("args", "expected a list such as [\"$data.level\",1,0.5]") }
        var arguments: [OSCArgumentTemplate] = []
        for node in json.children(of: JSONText.root) {
            arguments.append(try argument(json, node))
        }
        return arguments
    }

    private func argument(_ json: borrowing JSONText, _ node: Int)
        throws(ConfigurationFile.ConfigurationError) -> OSCArgumentTemplate
    {
        switch json.kind(node) {
        case .string: return .template(try template("args", json.string(at: node) ?? ""))
        case .bool: return .constant(.truth(json.value(at: node) == .bool(true)))
        case .null: return .constant(.null)
        case .number: return .constant(try number(json, node))
        case .object: return try typedArgument(json, node)
        case .array:
            throw mistake("args", "expected texts, numbers, true, false, null, \(Self.typedForms)")
        }
    }

    /// A number with a fraction or an exponent is a float; another number is an integer.
    private func number(_ json: borrowing JSONText, _ node: Int)
        throws(ConfigurationFile.ConfigurationError) -> OSCArgument
    {
        let raw = String(decoding: json.raw(at: node), as: UTF8.self)
        let isFloat = raw.utf8.contains { ".eE".utf8.contains($0) }
        let argument =
            isFloat
            ? Double(raw).flatMap(OSCNumberType.float.argument)
            : Int(raw).map(OSCArgumentTemplate.integer)
        guard let argument else { throw mistake("args", "\(raw): too large") }
        return argument
    }

    /// The forms of arguments whose type is given, for messages.
    private static let typedForms =
        #"{"f":NUMBER,"scale":NUMBER}, {"i":NUMBER,"scale":NUMBER}, {"s":TEXT} or {"b":BASE64}"#

    /// An argument whose type the line gives: `{"f": …}`, `{"i": …}`, `{"s": …}` or `{"b": …}`.
    private func typedArgument(_ json: borrowing JSONText, _ node: Int)
        throws(ConfigurationFile.ConfigurationError) -> OSCArgumentTemplate
    {
        var types: [(name: String, node: Int)] = []
        var scale: Double?
        for (name, value) in json.members(of: node) {
            let name = json.string(at: name) ?? ""
            guard name == "scale" else {
                types.append((name, value))
                continue
            }
            scale = Double(String(decoding: json.raw(at: value), as: UTF8.self))
            guard json.kind(value) == .number, scale?.isFinite == true else {
                throw mistake("args", "scale: expected a number")
            }
        }
        guard types.count == 1, let type = types.first, scale == nil || "fi".contains(type.name)
        else { throw mistake("args", "expected \(Self.typedForms)") }
        let text = json.string(at: type.node)
        switch (type.name, json.kind(type.node)) {
        case ("f", .string), ("f", .number):
            return try scaled(.float, text, json.raw(at: type.node), scale ?? 1)
        case ("i", .string), ("i", .number):
            return try scaled(.integer, text, json.raw(at: type.node), scale ?? 1)
        case ("s", .string): return .text(try template("args", text ?? ""))
        case ("b", .string):
            guard let bytes = Base64.decode(text ?? "") else {
                throw mistake("args", "b: expected Base64")
            }
            return .constant(.blob(bytes))
        default: throw mistake("args", "expected \(Self.typedForms)")
        }
    }

    /// A number of this type: the template `text`, or the number whose text is `raw` if `text` is nil.
    private func scaled(_ type: OSCNumberType, _ text: String?, _ raw: [UInt8], _ scale: Double)
        throws(ConfigurationFile.ConfigurationError) -> OSCArgumentTemplate
    {
        let written = text ?? String(decoding: raw, as: UTF8.self)
        let argument = OSCArgumentTemplate.number(
            try template("args", written), scale: scale, type)
        // A text without placeholders is the same number each time.
        guard case .number(let template, _, _) = argument, template.placeholders.isEmpty else {
            return argument
        }
        guard let constant = argument.value({ _ in nil }) else {
            throw mistake("args", "\(written): expected a number")
        }
        return .constant(constant)
    }
}
