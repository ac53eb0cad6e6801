import GameFlow
import JSONCoding
import Support

/// Texts from outside with control characters escaped, so that a name or an argument cannot control the
/// terminal or begin another line.
enum TerminalSafe {
    /// A text with control characters escaped.
    static func escaped(_ text: String) -> String { TerminalText.escaped(text) }

    /// A line of JSON with control characters escaped. Control characters can only occur in strings, and in a string the
    /// escapes are valid JSON.
    static func json(_ line: [UInt8]) -> [UInt8] {
        Array(escaped(String(decoding: line, as: UTF8.self)).utf8)
    }

    /// A value as users type it after `key=`, whatever types are declared; a string that looks like another type is quoted.
    static func value(_ value: Value) -> String {
        switch value {
        case .unfit(let why, _): return "(\(why))"
        case .string: return escaped(TextWords.write(value))
        default:
            var writer = JSONWriter()
            writer.value(value)
            return escaped(String(decoding: writer.bytes, as: UTF8.self))
        }
    }

    /// A value in a sentence: a string without quotes.
    static func text(_ value: Value) -> String {
        if case .string(let text) = value { escaped(text) } else { TerminalSafe.value(value) }
    }

    /// Arguments or data: `episode=2 level=3`.
    static func pairs(_ members: [Member]) -> String {
        members.map { "\(escaped($0.name))=\(value($0.value))" }.joined(separator: " ")
    }

    /// Labels or settings, whose values are texts: `team=Owls hints=3`.
    static func texts(_ members: [Member]) -> String {
        members.map { member in
            let word = member.value.text.map { escaped(TextWords.write(text: $0)) }
            return "\(escaped(member.name))=\(word ?? value(member.value))"
        }.joined(separator: " ")
    }

    /// A state with its data, or an event with its arguments: `playingLevel episode=2 level=3`.
    static func named(_ name: String, _ members: [Member]) -> String {
        members.isEmpty ? escaped(name) : "\(escaped(name)) \(pairs(members))"
    }

    /// Who sent an event: `pid 123`, `timer`, `bluetooth 11:22:33:44:55:66`. `source` is the member `source` of a change or
    /// record. If the sender was authenticated, for example by a token, the text has the authenticated name in place of the
    /// process or address.
    static func source(_ source: Value) -> String {
        let kind = source.find("kind").map(text) ?? "unknown"
        let peer = source.find("peer")
        if let principal = source.find("as") { return "\(kind) \(text(principal))" }
        if let pid = peer?.find("pid") { return "pid \(text(pid))" }
        guard let address = peer?.members.first else { return kind }
        return "\(kind) \(text(address.value))"
    }
}
