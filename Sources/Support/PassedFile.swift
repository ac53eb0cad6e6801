// Only the daemon uses this.
#if canImport(Glibc)
    internal import Glibc

    /// A descriptor that a client has passed. The descriptor is closed when this object is released.
    public final class PassedFile: Sendable {
        public let descriptor: Int32

        /// Takes ownership of a descriptor.
        public init(owning descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }
#endif
