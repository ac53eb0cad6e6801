public import GameFlow
internal import Glibc

/// Operations on the whole journal, for operators. Called on the loop's thread; they call `done` there, immediately or later.
/// The results are the members of the JSON object that the operator gets.
public protocol Maintenance: AnyObject {
    /// Writes a copy of the journal and verifies it by reading it; the result describes the copy.
    func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// Removes the old rows that nothing needs, even if the removal is suspended because the clock may be wrong. The result says
    /// whether it was suspended, how many rows were removed, and how many old rows are still needed.
    func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void)
}

/// The destination of a backup.
public enum BackupTarget: Sendable {
    /// A path on the daemon's machine at which no file exists.
    case path(String)
    /// A file that the client has opened and passed, because its path may mean another file to the daemon.
    case file(PassedFile)
}

/// A descriptor that a client has passed. The descriptor is closed when this object is released.
public final class PassedFile: Sendable {
    public let descriptor: Int32

    /// Takes ownership of a descriptor.
    public init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
