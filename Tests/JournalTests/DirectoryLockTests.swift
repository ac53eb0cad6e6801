import Journal
import TestSupport
import Testing

@Suite struct DirectoryLockTests {
    @Test func `a process that has patience gets the lock when it is released`() async throws {
        let folder = Folder()
        let path = folder.path
        var lock: DirectoryLock? = try DirectoryLock(path)
        #expect(throws: DirectoryLock.LockError.inUse) { try DirectoryLock(path) }
        let waiting = Task.detached { try DirectoryLock(path, patience: .seconds(60)) }
        lock = nil
        _ = lock
        let acquired = try await waiting.value
        #expect(DirectoryLock.isHeld(path))
        withExtendedLifetime(acquired) {}
    }
}
