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
        guard case .noTransition(_, _, _, let last?) = error else { return object(error.data) }
        beginObject()
        for member in error.data {
            key(member.name)
            value(member.value)
        }
        name("last")
        json(last.json)
        endObject()
    }
}
