internal import GameFlow
internal import Sessions

extension Sessions {
    /// Executes a recorded command on a session; does nothing for a consequence, which happens by
    /// itself.
    func perform(_ deed: JournalCommand, on name: SessionName, id: String?) throws(RequestError) {
        if case .open(let flow, let state, let data, let source) = deed {
            _ = try open(
                name, self.flow(flow), state: state, data: data,
                RequestContext(from: source, id: id))
            return
        }
        let session = try session(name)
        switch deed {
        case .close(let source): try close(session, RequestContext(from: source, id: id))
        case .send(let event, let arguments, let source):
            _ = try send(
                event, arguments, to: session, RequestContext(from: source, id: id))
        case .goto(let state, let data, let reason, let source):
            _ = try goto(
                state, data, session, RequestContext(from: source, id: id, reason: reason))
        case .operate(let operation, let source):
            try operate(operation, on: session, RequestContext(from: source, id: id))
        default: break
        }
    }
}
