import GameFlow
import RPC

/// Reads the words of a request by the types that the daemon's flow has for them: `code=4711` is a text
/// where a text is wanted.
struct WordTypes {
    private let client: Client

    init(_ client: Client) { self.client = client }

    /// The request that the words make. Where the daemon does not tell of the flow, they are read as they
    /// would be without it, and the daemon says what is wrong.
    func request(_ words: TextRequest) throws(Failure) -> Request {
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
            if !states.contains(where: { $0.find("name") == .string(name) }),
                let hint = words.hint(noStateOf: try flow.text("flow"))
            {
                throw .usage(TerminalSafe.word(hint))
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

    /// The description of the flow; nil if the daemon does not tell it.
    private func flow(of subject: TextRequest.Subject) throws(Failure) -> Value? {
        let name: String?
        switch subject {
        case .event(_, let session), .state(_, let session):
            let question = Request(.status, [Member("session", .string(session))])
            guard let status = try answer(question) else { return nil }
            name = try status.text("flow")
        case .opening(_, let flow): name = flow
        }
        return try answer(Request(.describe, name.map { [Member("flow", .string($0))] } ?? []))
    }

    private func answer(_ question: Request) throws(Failure) -> Value? {
        do { return try client.call(question).value } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    private static func fields(_ what: String, of name: String, in forms: [Value]) throws(Failure)
        -> [Value]
    {
        guard let form = forms.first(where: { $0.find("name") == .string(name) }) else { return [] }
        return try form.list(what)
    }
}
