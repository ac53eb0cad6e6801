internal import Glibc

/// Where a copy of what is kept goes.
public enum BackupTarget: Sendable {
    /// A path on the daemon's machine, where nothing is yet.
    case path(String)
    /// A file that the client has opened and passed: its path may mean something else to the daemon.
    case file(PassedFile)
}

/// A descriptor that a client has passed; closed when it is released.
public final class PassedFile: Sendable {
    public let descriptor: Int32

    /// Takes over a descriptor.
    public init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
