import GameFlow
import Glibc
import JSON
import RPC
import Sessions

/// Something to ask the daemon.
struct Request: Equatable {
    let method: Method
    let params: [Member]
    /// The words of the command line, if they can be read better once the flow's types are known.
    let words: TextRequest?

    init(_ method: Method, _ params: [Member] = []) {
        (self.method, self.params, words) = (method, params, nil)
    }

    /// Reads a program's arguments in the form of the text dialect, each of them one word.
    init(words: [String], session: String) throws(Failure) {
        var read: [TextWord] = []
        for word in words { read.append(try Self.word(word)) }
        let request: TextRequest
        do { request = try TextRequest(read, main: session) } catch {
            throw .usage(Self.why(error))
        }
        method = request.method
        params = request.params()
        self.words = request.subject == nil ? nil : request
    }

    /// Whether it changes something.
    var changes: Bool {
        switch method {
        case .token: params["action"] != .string("list")
        case .bluetooth: params["action"] != nil
        default: method.changes
        }
    }

    /// Where a backup goes that is written here; nil of one at a path of the daemon's.
    var ownPath: String? {
        guard params["onServer"] != .bool(true), case .string(let path)? = params["to"] else {
            return nil
        }
        return path
    }

    private static func word(_ text: String) throws(Failure) -> TextWord {
        do { return try TextWord(argument: text) } catch {
            throw .usage("\(TerminalSafe.word(text)): \(why(error))")
        }
    }

    private static func why(_ error: JSONError) -> String {
        switch error {
        case .malformed(let why, let at): "\(why), at byte \(at)"
        case .tooDeep: "nests deeper than \(JSONText.depthLimit)"
        }
    }

    private static func why(_ error: CallError) -> String {
        switch error {
        case .parseError(let why), .invalidRequest(let why), .invalidParams(let why):
            TerminalSafe.word(why)
        case .methodNotFound(let verb): "no verb \(TerminalSafe.word(verb))"
        case .refused(let refused): "\(refused.name)"
        }
    }

    /// The line that asks it.
    func line(id: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.object([
            Member("jsonrpc", .string("2.0")), Member("id", .int(id)),
            Member("method", .string(method.name)), Member("params", .object(params)),
        ])
        writer.newline()
        return writer.bytes
    }
}
