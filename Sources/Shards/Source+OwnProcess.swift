package import GameFlow
import Glibc
import RPC

extension Source {
    /// The daemon's process as a source. It is recorded for a session that the daemon itself opens, for example at the start.
    /// `StartSessions` recognises these sessions by the identity of this object.
    package static let ownProcess = Source(
        .terminal, peer: .process(pid: getpid(), uid: getuid(), gid: getgid()))
}
