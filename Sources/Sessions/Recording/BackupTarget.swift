internal import Glibc

/// The destination of a backup.
public enum BackupTarget: Sendable {
    /// A path on the daemon's machine at which no file exists.
    case path(String)
    /// A file that the client has opened and passed, because its path may mean another file to the daemon.
    case file(PassedFile)
}

/// A descriptor that a client has passed. It is closed when this object is released.
public final class PassedFile: Sendable {
    public let descriptor: Int32

    /// Takes ownership of a descriptor.
    public init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
