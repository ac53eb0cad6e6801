internal import GameFlow
public import JSON
internal import Timers

extension JSONWriter {
    /// An error as JSON-RPC has it: its code, its name and its data.
    public mutating func error(_ error: RequestError) {
        self.error(error.code, error.name) { $0.data(of: error) }
    }

    /// The same for an error of another's.
    public mutating func error(
        _ code: Int, _ message: StaticString, data: (inout JSONWriter) -> Void
    ) {
        beginObject()
        name("code")
        int(code)
        name("message")
        string(message.description)
        name("data")
        data(&self)
        endObject()
    }

    /// What a client is told of an error besides its name.
    public mutating func data(of error: RequestError) {
        beginObject()
        switch error {
        case .noTransition(let event, let state, let accepts, let last):
            member("event", event)
            member("state", state)
            name("accepts")
            strings(accepts)
            if let last {
                name("last")
                json(last.json)
            }
        case .invalid(let subject, let argument, let why):
            switch subject {
            case .event(let event): member("event", event)
            case .state(let state): member("state", state)
            }
            member("argument", argument)
            member("why", why)
        case .hookRefused(let hook, let why):
            member("hook", hook)
            member("why", why)
        case .forbidden(let asked, let source, let needs):
            switch asked {
            case .event(let event): member("event", event)
            case .method(let method): member("method", method)
            }
            member("source", source.rawValue)
            member("needs", needs)
        case .unknownSession(let session, let near): meant("session", session, near)
        case .unknownEvent(let event, let near): meant("event", event, near)
        case .unknownFlow(let flow, let near): meant("flow", flow, near)
        case .unknownState(let state, let near): meant("state", state, near)
        case .finished(let state): member("state", state)
        case .stale(let ageMs, let limitMs):
            member("ageMs", ageMs)
            member("limitMs", limitMs)
        case .deferQueueFull(let limit): member("limit", limit)
        case .exists(let session): member("session", session)
        case .limit(let which, let limit):
            member("which", which)
            member("limit", limit)
        case .storage(let why, let outcome):
            member("why", why)
            member("outcome", outcome.rawValue)
        case .notVirtual: break
        }
        endObject()
    }

    private mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    private mutating func member(_ name: StaticString, _ number: Int) {
        self.name(name)
        int(number)
    }

    private mutating func meant(_ name: StaticString, _ text: String, _ near: [String]) {
        member(name, text)
        self.name("didYouMean")
        strings(near)
    }
}
