internal import JSON
internal import Sessions

/// A reply, or a notification, that does not go out yet: where it stands among what does, and what it waits for.
struct PendingReply {
    /// How a reply is written.
    enum Form {
        /// JSON-RPC's, to a request with this id as JSON.
        case json(id: [UInt8])
        case text
        /// No reply: what happened to something that is watched, with its line's end.
        case notice
    }

    enum Wait: Equatable {
        /// Until that row is on the disk.
        case row(Int)
        /// Until it is known what was promised under that number.
        case answer(Int)
    }

    var start: Int
    var end: Int
    let form: Form
    var wait: Wait
    /// What was begun to be watched with it.
    let watch: WatchTarget?

    mutating func move(by distance: Int) {
        start += distance
        end += distance
    }
}

extension PendingReply.Form {
    /// Writes a reply without the end of its line.
    func write(_ answer: DeferredResult.Answer, to writer: inout JSONWriter) {
        switch self {
        case .json(let id):
            writer.beginReply()
            writer.raw(id)
            switch answer {
            case .success(let result):
                writer.name("result")
                result(&writer)
            case .failure(let error):
                writer.name("error")
                writer.error(error)
            }
            writer.endObject()
        case .text:
            switch answer {
            case .success(let result):
                writer.raw("OK ")
                result(&writer)
            case .failure(let error): error.writeLine(to: &writer)
            }
        case .notice: break
        }
    }
}
