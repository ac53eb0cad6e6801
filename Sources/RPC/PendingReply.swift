internal import JSON
internal import Sessions

/// A reply or a notification that may not be sent yet: its range in the output, and what it waits
/// for.
struct PendingReply {
    /// The format of the reply.
    enum Form {
        /// JSON-RPC, to a request with this id as JSON.
        case json(id: [UInt8])
        case text
        /// Not a reply but a notification, newline included.
        case notice
    }

    enum Wait: Equatable {
        /// Waits until that row is durable.
        case row(Int)
        /// Waits for the deferred result with that ticket.
        case answer(Int)
    }

    var start: Int
    var end: Int
    let form: Form
    var wait: Wait
    /// The target of the subscription that the request started.
    let watch: WatchTarget?

    mutating func move(by distance: Int) {
        start += distance
        end += distance
    }
}

extension PendingReply.Form {
    /// Writes the reply without the newline.
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
