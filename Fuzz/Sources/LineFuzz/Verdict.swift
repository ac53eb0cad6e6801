import JSONCoding

/// Classifies a reply or a notification by its text.
enum Verdict {
    /// There was no reply.
    case none
    case done, refused
    /// A reply to a batch. Some requests of the batch may have been done, and others refused.
    case mixed
    /// The reply is not one line, or not in the form of its dialect.
    case broken

    init(_ answer: [UInt8]) {
        guard let last = answer.last else {
            self = .none
            return
        }
        let line = answer.dropLast()
        guard last == UInt8(ascii: "\n"), !line.contains(UInt8(ascii: "\n")) else {
            self = .broken
            return
        }
        switch line.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): self = Self.json(line)
        default: self = Self.text(line)
        }
    }

    private static func read(_ line: ArraySlice<UInt8>) -> JSONText? {
        var text = JSONText()
        do { try text.read(line) } catch { return nil }
        return text
    }

    private static func json(_ line: ArraySlice<UInt8>) -> Verdict {
        guard let text = read(line) else { return .broken }
        guard text.kind(JSONText.root) == .object else { return .mixed }
        let members = text.members(of: JSONText.root).map { text.string(at: $0.name)! }
        guard members.first == "jsonrpc" else { return .broken }
        switch members.dropFirst() {
        case ["id", "result"], ["method", "params"]: return .done
        case ["id", "error"]: return .refused
        default: return .broken
        }
    }

    /// `OK RESULT`, or `ERR NAME DATA`.
    private static func text(_ line: ArraySlice<UInt8>) -> Verdict {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard words.count == 2 else { return .broken }
        if words[0].elementsEqual("OK".utf8) { return read(words[1]) == nil ? .broken : .done }
        let nameAndData = words[1].split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard words[0].elementsEqual("ERR".utf8), nameAndData.count == 2,
            nameAndData[0].allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }),
            read(nameAndData[1]) != nil
        else { return .broken }
        return .refused
    }
}
