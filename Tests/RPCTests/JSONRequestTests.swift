import GameFlow
import JSONCoding
import TestSupport
import Testing

@testable import RPC

/// Reading JSON-RPC requests in one pass. `ReferenceReader` parses the whole text first and then looks at its values; both must
/// find the same.
@Suite struct JSONRequestTests {
    /// What a line contains, in a form that both readers can be compared in.
    enum Finding: Equatable {
        case notJSON(JSONError)
        case invalid(id: String?, why: String)
        case mistake(id: String?, CallError)
        /// The method, and the values of the parameters by name.
        case call(id: String?, Method, [String])
    }

    /// The finding of the reader under test.
    static func finding(_ line: [UInt8]) -> Finding {
        var params = Params()
        do throws(JSONError) {
            try params.json.load(line[...])
            guard case .request(let request) = try params.readMessage() else {
                return .invalid(id: nil, why: "a batch")
            }
            let id = request.idNode.map { "\(params.json.value(at: $0))" }
            return switch request.call {
            case .invalid(let why): .invalid(id: id, why: why)
            case .mistake(let error): .mistake(id: id, error)
            case .method(let method): .call(id: id, method, values(&params, of: method))
            }
        } catch { return .notJSON(error) }
    }

    private static func values(_ params: inout Params, of method: Method) -> [String] {
        var values: [String] = []
        for parameter in Parameter.allCases where method.allParameters.contains(parameter) {
            if let value = params.value(parameter) { values.append("\(parameter.name)=\(value)") }
        }
        return values
    }

    @Test func `a request is read as by a reader that parses the whole text first`() {
        for seed in seeds(100, long: 5000) {
            var random = SeededRandom(seed)
            for _ in 0..<100 {
                let line = RandomRequest.line(&random)
                let (found, expected) = (Self.finding(line), ReferenceReader.finding(line))
                #expect(
                    found == expected, "seed \(seed): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"a","event":"b"}}"#,
        #"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":2}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"\u0078":2}}"#,
        #"{"jsonrpc":"2.0","\u0069d":1,"id":1,"method":"ping"}"#,
    ])
    func `a member that is given twice is a mistake of the JSON`(_ line: String) {
        guard
            case .notJSON(.malformed("a member is given twice", _)) = Self.finding(Array(line.utf8))
        else {
            Issue.record("\(Self.finding(Array(line.utf8)))")
            return
        }
    }

    @Test func `the parameters may precede the method, and names may have escapes`() {
        let line =
            #"{"params":{"\u0065vent":"go","args":{"n":[1,{}]}},"m\u0065thod":"send","id":"x","jsonrpc":"2.0"}"#
        let expected = ReferenceReader.finding(Array(line.utf8))
        #expect(Self.finding(Array(line.utf8)) == expected)
        guard case .call(_, .send, let values) = expected else {
            Issue.record("\(expected)")
            return
        }
        #expect(values.count == 2)
    }

    @Test func `an element of a batch that is a text with an object in it is no request`() throws {
        var params = Params()
        try params.json.load(Array(#"["{\"jsonrpc\":\"2.0\"}"]"#.utf8)[...])
        try params.json.parse()
        let element = params.json.children(of: JSONText.root)[0]
        guard case .invalid = try params.readElement(element).call else {
            Issue.record("the text was read as a request")
            return
        }
    }
}

/// Parses the whole text of a request, and then looks at its values.
private enum ReferenceReader {
    static func finding(_ line: [UInt8]) -> JSONRequestTests.Finding {
        var json = JSONText()
        do throws(JSONError) { try json.read(line[...]) } catch { return .notJSON(error) }
        guard json.kind(JSONText.root) == .object else {
            let isBatch = json.kind(JSONText.root) == .array
            return .invalid(id: nil, why: isBatch ? "a batch" : "a request is an object")
        }
        var members: [String: Int] = [:]
        var unknown: String?
        for (name, value) in json.members(of: JSONText.root) {
            let name = json.string(at: name)!
            if ["jsonrpc", "id", "method", "params"].contains(name) {
                members[name] = value
            } else {
                unknown = name
            }
        }
        var id: String?
        if let node = members["id"] {
            switch json.value(at: node) {
            case .int, .string: id = "\(json.value(at: node))"
            default:
                return .invalid(
                    id: nil, why: "id: expected a string, or an integer within ±(2^53 − 1)")
            }
        }
        guard members["jsonrpc"].map({ json.value(at: $0) == .string("2.0") }) ?? false else {
            return .invalid(id: id, why: "jsonrpc: expected \"2.0\"")
        }
        guard let methodNode = members["method"], let name = json.string(at: methodNode) else {
            return .invalid(id: id, why: "method: expected a string")
        }
        if let unknown { return .invalid(id: id, why: "\(unknown): unknown") }
        let paramsKind = members["params"].map { json.kind($0) }
        guard [nil, .object, .array].contains(paramsKind) else {
            return .invalid(id: id, why: "params: expected an object")
        }
        guard let method = Method(name: name) else {
            return .mistake(id: id, .methodNotFound(name))
        }
        guard paramsKind != .array else {
            return .mistake(
                id: id,
                .invalidParams("params: expected an object (parameters are named, not positional)"))
        }
        return call(of: method, members["params"], json, id: id)
    }

    private static func call(
        of method: Method, _ object: Int?, _ json: borrowing JSONText, id: String?
    ) -> JSONRequestTests.Finding {
        var given: [String: Value] = [:]
        var members: [(name: Int, value: Int)] = []
        if let object { members = json.members(of: object) }
        for (nameNode, node) in members {
            let name = json.string(at: nameNode)!
            let parameter = Parameter.allCases.first {
                $0.name.description == name && method.allParameters.contains($0)
            }
            guard let parameter else { return .mistake(id: id, .invalidParams("\(name): unknown")) }
            if let mismatch = parameter.kind.typeMismatch(of: json.value(at: node)) {
                return .mistake(id: id, .invalidParams("\(name): \(mismatch)"))
            }
            given[name] = json.value(at: node)
        }
        for parameter in Parameter.allCases where method.requiredParameters.contains(parameter) {
            if given[parameter.name.description] == nil {
                return .mistake(id: id, .invalidParams("\(parameter.name): missing"))
            }
        }
        let values = Parameter.allCases.compactMap { parameter in
            given[parameter.name.description].map { "\(parameter.name)=\($0)" }
        }
        return .call(id: id, method, values)
    }
}

/// Lines that are requests, nearly requests, or nearly JSON.
private enum RandomRequest {
    static func line(_ generator: inout some RandomNumberGenerator) -> [UInt8] {
        let method = Method.allCases.randomElement(using: &generator)!
        var members: [(String, String)] = [
            ("jsonrpc", chance(15, &generator) ? value(&generator) : "\"2.0\""),
            ("id", chance(4, &generator) ? value(&generator) : "7"),
            (
                "method",
                chance(15, &generator)
                    ? value(&generator) : "\"\(chance(3, &generator) ? "send" : method.name)\""
            ),
            ("params", chance(12, &generator) ? value(&generator) : params(of: method, &generator)),
        ]
        if chance(3, &generator) { members.shuffle(using: &generator) }
        if chance(8, &generator) { members.removeLast() }
        if chance(12, &generator) { members.append(("extra", value(&generator))) }
        if chance(12, &generator) { members.append(members.randomElement(using: &generator)!) }
        var line = Array(object(members, &generator).utf8)
        if chance(12, &generator) {
            let index = line.indices.randomElement(using: &generator)!
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: line.remove(at: index)
            case 1: line[index] = UInt8.random(in: 0...255, using: &generator)
            default:
                line.insert(
                    Array(#"{}[]",:\ 0x"#.utf8).randomElement(using: &generator)!, at: index)
            }
        }
        return line
    }

    /// Whether one of `count` cases applies.
    private static func chance(_ count: Int, _ generator: inout some RandomNumberGenerator) -> Bool
    {
        Int.random(in: 0..<count, using: &generator) == 0
    }

    private static func params(of method: Method, _ generator: inout some RandomNumberGenerator)
        -> String
    {
        var members: [(String, String)] = []
        for parameter in Parameter.allCases where method.allParameters.contains(parameter) {
            let isRequired = method.requiredParameters.contains(parameter)
            guard isRequired ? !chance(12, &generator) : chance(2, &generator) else { continue }
            let suitable =
                switch parameter.kind {
                case .text: "\"main\""
                case .integer, .numberOrCursor: "12"
                case .boolean: "true"
                case .object: #"{"a": [1, {"b": null}]}"#
                case .texts: #"["changes"]"#
                }
            members.append(
                (parameter.name.description, chance(20, &generator) ? value(&generator) : suitable))
        }
        if chance(2, &generator) { members.shuffle(using: &generator) }
        if chance(15, &generator) {
            let name = Parameter.allCases.randomElement(using: &generator)!.name.description
            members.append((chance(2, &generator) ? name : name + "s", value(&generator)))
        }
        return object(members, &generator)
    }

    private static func object(
        _ members: [(String, String)], _ generator: inout some RandomNumberGenerator
    ) -> String {
        let blank = chance(3, &generator) ? " " : ""
        var parts: [String] = []
        for (name, value) in members {
            var written = name
            if chance(15, &generator), let first = name.unicodeScalars.first {
                written = "\\u00" + String(first.value, radix: 16) + name.dropFirst()
            }
            parts.append("\"\(written)\"\(blank):\(blank)\(value)")
        }
        return "{" + blank + parts.joined(separator: blank + "," + blank) + blank + "}"
    }

    private static func value(_ generator: inout some RandomNumberGenerator) -> String {
        [
            "null", "true", "0", "-3", "1.5", "1e400", "9007199254740993", "\"\"", "\"text\"",
            #""\u0000""#, #""a\nb""#, "[]", "[1,2]", #"["a","b"]"#, "{}", #"{"a":1}"#, "\"2.0\"",
            "\"ü\"", #"{"a":1,"a":2}"#,
            String(repeating: "[", count: 126) + String(repeating: "]", count: 126),
            String(repeating: "[", count: 127) + String(repeating: "]", count: 127),
        ].randomElement(using: &generator)!
    }
}
