import Cluster
import GameFlow
import JSONCoding
package import RPC
package import Sessions
import Timers

/// The form of one event stream: encodes notifications as Server-Sent Events, each as one chunk of the answer. `WebStream` sends
/// the chunks.
package final class EventStreamForm {
    /// The daemon's instance name, with which the ids of events begin.
    package let instance: String
    /// Whether the body of the answer is divided into chunks (RFC 9112, section 7.1). False for a client of HTTP/1.0, whose
    /// answer ends with the connection.
    @exclusivity(unchecked) var hasChunks = false

    package init(instance: String) { self.instance = instance }

    /// Tells a browser to reconnect after 1000 ms.
    static let reconnectDelay = Array("retry: 1000\n\n".utf8)
    /// The end of an answer with chunks.
    static let lastChunk = Array("0\r\n\r\n".utf8)
    /// The comment that is sent as a heartbeat.
    package static let heartbeat = Array(": still here\n\n".utf8)

    /// The bytes that are sent for a notification. All streams with chunks share them.
    package func bytes(of notification: EncodedNotification) -> [UInt8] {
        guard hasChunks else { return event(notification) }
        if let chunk = notification.eventChunk { return chunk }
        let chunk = bytes(of: event(notification))
        notification.eventChunk = chunk
        return chunk
    }

    /// The bytes that are sent for an event or a comment.
    package func bytes(of event: [UInt8]) -> [UInt8] {
        hasChunks
            ? Array("\(String(event.count, radix: 16))\r\n".utf8) + event + [0x0D, 0x0A] : event
    }

    /// Encodes a notification as an event. The id of the event is `INSTANCE:POS` with the position of the notification; without
    /// a position, the event has no id.
    package func event(_ notification: EncodedNotification) -> [UInt8] {
        event(notification, id: notification.pos.map { EventID.text(instance, $0) })
    }

    /// Encodes a notification as an event with this id, or without an id. A browser that reconnects sends the last id.
    package func event(_ notification: EncodedNotification, id: String?) -> [UInt8] {
        let id = id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(notification.method)\ndata: ".utf8) + notification.params
            + Array("\n\n".utf8)
    }

    /// The notification that begins a stream: a snapshot of the present state. If the stream is resumed, the snapshot has no
    /// id, because the missed changes follow. A browser that loses the connection before these changes arrive must request
    /// them again.
    package func snapshot(_ watched: Sessions.WatchResult, isResumed: Bool, _ stream: WebStream)
        -> EncodedNotification
    {
        let sessions = stream.context.sessions
        return EncodedNotification(
            "snapshot", row: sessions.newestRow, pos: isResumed ? nil : sessions.pos
        ) { writer in
            writer.beginObject()
            writeFirstMembers(
                sessions, stream, pos: sessions.pos, Cursor(sessions.pos).text, to: &writer)
            stream.context.protocolHandler.encoder.members(
                of: watched.page, stream.rights.view, to: &writer)
            writer.endObject()
        }
    }

    /// The snapshot from `result`, a result of the method `watch` that the owners of the sessions have encoded. The snapshot
    /// has no position, and so no id, because each shard counts its changes separately.
    package func snapshot(_ result: [UInt8], _ stream: WebStream) -> EncodedNotification {
        let page = RelayedPage(result)
        return EncodedNotification("snapshot") { writer in
            writer.beginObject()
            writeFirstMembers(
                stream.context.sessions, stream, pos: page.pos, page.cursor ?? Cursor(0).text,
                to: &writer)
            writer.name("sessions")
            writer.beginArray()
            for session in page.sessions { writer.json(session.json) }
            writer.endArray()
            writer.name("more")
            writer.bool(page.hasMore)
            writer.endObject()
        }
    }

    /// Writes the members that precede the sessions in a snapshot. `cursor` names the position from which the browser can
    /// continue a watch.
    private func writeFirstMembers(
        _ sessions: Sessions, _ stream: WebStream, pos: Int, _ cursor: String,
        to writer: inout JSONWriter
    ) {
        writer.name("instance")
        writer.string(instance)
        writer.name("pos")
        writer.int(pos)
        writer.name("clock")
        writer.string(sessions.isVirtual ? "virtual" : "real")
        writer.name("nowMs")
        writer.int(Int(sessions.now.milliseconds))
        writer.name("role")
        writer.string(stream.rights.highestRole?.name ?? "")
        writer.name("rights")
        writer.beginArray()
        for grant in stream.rights.grants {
            writer.object(
                [
                    Member("role", grant.role.name), Member("session", grant.session.pattern),
                    Member("event", grant.event.pattern),
                ]
                    + (grant.boundArguments.isEmpty
                        ? [] : [Member("args", .object(grant.boundArguments))]))
        }
        writer.endArray()
        if let principal = stream.source.principal {
            writer.name("name")
            writer.string(principal)
        }
        writer.name("cursor")
        writer.string(cursor)
    }

    /// The notification that virtual time has advanced, with the new time.
    package static func clock(_ sessions: Sessions) -> EncodedNotification {
        EncodedNotification("clock", row: sessions.newestRow) {
            $0.object([.init("nowMs", Int(sessions.now.milliseconds))])
        }
    }
}
