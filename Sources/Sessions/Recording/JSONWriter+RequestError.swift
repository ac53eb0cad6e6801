internal import GameFlow
public import JSON
internal import Timers

extension JSONWriter {
    /// An error as the journal and the records of refused events have it: its number, its name and its data,
    /// or of data that is longer than `limit` bytes only its length.
    public mutating func error(_ error: RequestError, dataLimit limit: Int = .max) {
        beginObject()
        name("code")
        int(error.number)
        name("message")
        string(error.name.description)
        name("data")
        let data = JSONWriter.bytes { $0.data(of: error) }
        if data.count <= limit {
            json(data)
        } else {
            object([Member("omittedBytes", .int(data.count))])
        }
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
        beginObject()
        name("event")
        if let event = last.event { string(event.name) } else { null() }
        name("args")
        object(last.event?.arguments ?? [])
        name("source")
        value(last.source.value)
        name("seq")
        int(last.seq)
        name("atMs")
        int(Int(last.at.milliseconds))
        endObject()
        endObject()
    }
}

extension RequestError {
    /// The number that stands for it in journals and in protocols. A number is never given to another error:
    /// later versions read the journals.
    public var number: Int {
        switch self {
        case .noTransition: 1
        case .invalid: 2
        case .hookRefused: 3
        case .forbidden: 4
        case .unknownSession: 5
        case .unknownEvent: 6
        case .finished: 7
        case .stale, .staleEntry: 8
        case .deferQueueFull: 9
        case .exists: 10
        case .limit: 11
        case .storage: 12
        case .unknownFlow: 13
        case .notVirtual: 14
        case .unknownState: 15
        }
    }
}
