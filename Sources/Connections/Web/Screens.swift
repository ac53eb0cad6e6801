package import Access
package import EventLoop
package import GameFlow
import JSONCoding
package import Parts
package import RPC
package import Sessions
import Timers

/// For each session: the browsers that watch only this session, and the guests who have joined it but are not connected. The
/// method `screens` lists them. A browser that watches all sessions, such as a desk (the page for operators), is left out.
///
/// Sounds and videos are played on the wall of a session. While it has one on this node, its other streams are told so.
package final class Screens: Part, StreamFollower {
    /// An open event stream.
    private struct OpenStream {
        let stream: any Client
        let session: SessionName
        let identity: Identity
        /// When the stream began, by the loop's clock.
        let since: Instant
        let isWall: Bool

        /// The highest role that the browser has in the session at present.
        var role: Role? {
            // The cases are in increasing order.
            Role.allCases.last { stream.rights.has($0, in: session) }
        }

        /// The IP address of the browser; nil at a UNIX socket.
        var address: String? {
            guard case .address(let address)? = identity.peer else { return nil }
            return address
        }
    }

    private let authorizer: Authorizer
    private let otherNodes: any OtherNodes
    private let loop: LibeventLoop
    private var streams: [ObjectIdentifier: OpenStream] = [:]
    /// The number of walls that show a session, for sessions with walls. Kept, because each stream that begins asks for it.
    private var wallCounts: [SessionName: Int] = [:]
    /// When a stream with a token ended most recently, by the token's name.
    private var leftAt: [String: Instant] = [:]

    package init(_ authorizer: Authorizer, _ otherNodes: any OtherNodes, on loop: LibeventLoop) {
        (self.authorizer, self.otherNodes, self.loop) = (authorizer, otherNodes, loop)
    }

    package var methods: [any PartMethod] { [ScreensMethod(self, otherNodes)] }

    package func enter(
        _ stream: any Client, _ session: SessionName, isWall: Bool
    ) {
        if isWall {
            wallCounts[session, default: 0] += 1
            if wallCounts[session] == 1 { announceWall(true, to: session) }
        } else if wallCounts[session] != nil {
            stream.receive(Self.wallNotification(true))
        }
        streams[ObjectIdentifier(stream)] = OpenStream(
            stream: stream, session: session, identity: stream.identity,
            since: loop.timerQueue.now, isWall: isWall)
    }

    /// Tells the other streams of a session that its first wall has come, or its last one has gone.
    private func announceWall(_ isConnected: Bool, to session: SessionName) {
        let notification = Self.wallNotification(isConnected)
        for other in streams.values where other.session == session && !other.isWall {
            other.stream.receive(notification)
        }
    }

    private static func wallNotification(_ isConnected: Bool) -> EncodedNotification {
        EncodedNotification("wall") { $0.object([Member("connected", .bool(isConnected))]) }
    }

    /// Does nothing for a stream of all sessions.
    package func leave(_ stream: any Client) {
        guard let endedStream = streams.removeValue(forKey: ObjectIdentifier(stream)) else {
            return
        }
        if endedStream.isWall, let count = wallCounts[endedStream.session] {
            wallCounts[endedStream.session] = count > 1 ? count - 1 : nil
            if count == 1 { announceWall(false, to: endedStream.session) }
        }
        guard let token = endedStream.identity.token else { return }
        // If there are as many entries as there can be tokens, removes the entries of tokens that no longer exist.
        if leftAt.count >= TokenFile.limit {
            let tokenNames = Set(authorizer.tokenNames)
            leftAt = leftAt.filter { tokenNames.contains($0.key) }
        }
        leftAt[token] = loop.timerQueue.now
    }

    // MARK: the result of the method `screens`

    /// Describes the browsers that watch this session, and the guests who joined the session and are not connected. The result
    /// has one object for each token, for each address without a token, and for each of these guests. A browser that watches
    /// all sessions is left out. The objects are sorted by the name of the token, or by the address if there is no token.
    package func screens(of session: SessionName) -> [Value] {
        // The invitations by which the guests have joined, by the names of the guests' tokens.
        let guests = authorizer.guests(of: session)
        let sessionStreams = streams.values.filter { $0.session == session }
        // A browser without a token is known by its address alone.
        let streamsByName = Dictionary(grouping: sessionStreams) {
            $0.identity.token ?? $0.address ?? ""
        }
        let connected = streamsByName.map { name, streams in
            (name, describe(streams, guests[name]))
        }
        let absent = guests.filter { streamsByName[$0.key] == nil }.map { name, invitation in
            (name, describe(name, invitation))
        }
        return (connected + absent).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// The number of invitations to the session that are still valid.
    func invitationCount(to session: SessionName) -> Int { authorizer.invitationCount(to: session) }

    /// Describes the open streams of one token, or of one address.
    private func describe(_ streams: [OpenStream], _ invitation: Invitation?) -> Value {
        let oldest = streams.min { $0.since < $1.since }
        let members: [Member?] = [
            oldest?.identity.token.map { Member("name", $0) },
            invitation?.guestName.map { Member("as", $0) },
            oldest?.role.map { Member("role", $0.name) },
            oldest?.address.map { Member("address", $0) },
            invitation.map { _ in Member("guest", .bool(true)) },
            Member("connections", streams.count),
            oldest.map { Member("forMs", ms(since: $0.since)) },
        ]
        return .object(members.compactMap(\.self))
    }

    /// Describes a guest who is not connected.
    private func describe(_ name: String, _ invitation: Invitation) -> Value {
        let members: [Member?] = [
            Member("name", name), invitation.guestName.map { Member("as", $0) },
            Member("role", invitation.role.name), Member("guest", .bool(true)),
            Member("connections", 0),
            leftAt[name].map { Member("forMs", ms(since: $0)) },
        ]
        return .object(members.compactMap(\.self))
    }

    /// The milliseconds from `instant` to now.
    private func ms(since instant: Instant) -> Int {
        max(0, Int((loop.timerQueue.now - instant).milliseconds))
    }
}
