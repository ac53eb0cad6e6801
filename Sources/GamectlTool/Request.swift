import GameFlow
import Glibc
import JSONCoding
import RPC
import Sessions

/// A request to the daemon.
struct Request: Equatable {
    let method: Method
    /// The parameters of the method. If `words` is not nil, the types of some values are guessed from their form.
    let params: [Member]
    /// The words of the command line that form the request, if the types of some words depend on the flow: `WordTypes` then
    /// makes the request to send. Otherwise nil.
    let words: TextRequest?

    /// Creates a request that is not read from words.
    init(_ method: Method, _ params: [Member] = []) {
        (self.method, self.params, words) = (method, params, nil)
    }

    /// Reads the command line's arguments, each as one word of the protocol's text dialect. `session` is the session of the
    /// request if the words name none.
    init(words: [String], session: String) throws(CommandError) {
        var textWords: [TextWord] = []
        for word in words { textWords.append(try Self.word(word)) }
        let request: TextRequest
        do { request = try TextRequest(textWords, defaultSession: session) } catch {
            throw .usage(Self.why(error))
        }
        method = request.method
        params = request.params()
        // The subject is the event or the state that declares the types of the words.
        self.words = request.subject == nil ? nil : request
    }

    /// Whether the request can change anything in the daemon; false if it only reads.
    var canChange: Bool {
        switch method {
        case .token: params["action"] != .string("list")
        case .bluetooth: params["action"] != nil
        default: method.canChange
        }
    }

    /// The path of the file that gamectl creates for a request `backup`; nil if the daemon creates the file
    /// (`onServer=true`).
    var backupPath: String? {
        guard params["onServer"] != .bool(true), case .string(let path)? = params["to"] else {
            return nil
        }
        return path
    }

    /// Reads one argument of the command line as a word of the text dialect.
    private static func word(_ text: String) throws(CommandError) -> TextWord {
        do { return try TextWord(argument: text) } catch {
            throw .usage("\(TerminalSafe.escaped(text)): \(error.sentence)")
        }
    }

    /// The sentence for words that form no request. Only requests that were sent have the errors `refused` and
    /// `relayed`; reading words never throws them.
    private static func why(_ error: CallError) -> String {
        switch error {
        case .parseError(let why), .invalidRequest(let why), .invalidParams(let why):
            TerminalSafe.escaped(why)
        case .methodNotFound(let verb): "no verb \(TerminalSafe.escaped(verb))"
        case .refused(let refused): "\(refused.name)"
        case .relayed(let relayed): relayed.name
        }
    }

    /// The request as a line of JSON-RPC, with the line end. The reply will have the same `id`.
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

/// Reads the words of a request with the types that the flow declares: `code=4711` gives a text if `code` is declared as a
/// text, and otherwise a number. It asks the daemon for the flow's description.
struct WordTypes {
    private let client: Client

    init(_ client: Client) { self.client = client }

    /// The request that the words form. If the daemon does not describe the flow, the words are read without types, and the
    /// daemon then reports the error.
    func request(_ words: TextRequest) throws(CommandError) -> Request {
        // The subject is the event or the state that declares the types of the words.
        guard let subject = words.subject, let flow = try flow(of: subject) else {
            return Request(words.method, words.params())
        }
        let fields: [Value]
        switch subject {
        case .event(let name, _):
            fields = try Self.fields("args", of: name, in: flow.list("events"))
        case .state(let name, _):
            fields = try Self.fields("data", of: name, in: flow.list("states"))
        case .opening(let name, _):
            let states = try flow.list("states")
            // `open hall` names the state `hall`. If the flow has no such state, the user may have meant the session `@hall`.
            if !states.contains(where: { $0.find("name") == .string(name) }),
                let hint = words.hintForUnknownState(flow: try flow.text("flow"))
            {
                throw .usage(TerminalSafe.escaped(hint))
            }
            fields = try Self.fields("data", of: name, in: states)
        }
        let params = words.params { name in
            guard let field = fields.first(where: { $0.find("name") == .string(name) }),
                case .string(let type)? = field.find("type")
            else { return nil }
            return type
        }
        return Request(words.method, params)
    }

    /// The description of the flow to which the event or state belongs; nil if the daemon refuses to give it.
    private func flow(of subject: TextRequest.Subject) throws(CommandError) -> Value? {
        let name: String?
        switch subject {
        case .event(_, let session), .state(_, let session):
            let request = Request(.status, [Member("session", .string(session))])
            guard let status = try result(of: request) else { return nil }
            name = try status.text("flow")
        case .opening(_, let flow): name = flow
        }
        return try result(
            of: Request(.describe, name.map { [Member("flow", .string($0))] } ?? []))
    }

    /// The result of a request; nil if the daemon refuses the request.
    private func result(of request: Request) throws(CommandError) -> Value? {
        do { return try client.call(request).value } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    /// The arguments of an event (`member` is `args`) or the data of a state (`member` is `data`), each with its name and type.
    /// `name` is the name of the event or state. `declarations` are the flow's events or states. The result is empty if they do
    /// not contain `name`.
    private static func fields(_ member: String, of name: String, in declarations: [Value])
        throws(CommandError)
        -> [Value]
    {
        let declaration = declarations.first { $0.find("name") == .string(name) }
        return try declaration?.list(member) ?? []
    }
}
