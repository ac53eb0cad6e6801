import Journal
import TestSupport
import Testing

@Suite struct DirectoryLockTests {
    @Test func `a process that has patience gets the lock when it is released`() async throws {
        let folder = Folder()
        let path = folder.path
        var lock: DirectoryLock? = try DirectoryLock(path)
        #expect(throws: DirectoryLock.LockError.inUse) { try DirectoryLock(path) }
        let (attempts, attempted) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task.detached {
            // The lock is released only after an attempt without patience has failed.
            #expect(throws: DirectoryLock.LockError.inUse) { try DirectoryLock(path) }
            attempted.finish()
            return try DirectoryLock(path, patience: .seconds(60))
        }
        for await _ in attempts {}
        lock = nil
        _ = lock
        let acquired = try await waiting.value
        #expect(DirectoryLock.isHeld(path))
        withExtendedLifetime(acquired) {}
    }
}
