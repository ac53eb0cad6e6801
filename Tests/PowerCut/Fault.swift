internal import CSQLite
package import TestSupport

/// A disk error at an operation, and perhaps at all later operations.
package struct Fault: Sendable {
    /// The number of the first operation that fails.
    private let operation: Int
    /// Whether only this operation fails. Otherwise all later operations fail, too.
    private let isOnce: Bool
    /// Whether a write fails because the disk is full.
    private let isFull: Bool
    private var random: SeededRandom
    private let device: Device
    /// Whether the writes before a failed sync are lost: no later sync repeats them, although reads still return them. Linux
    /// loses them, because it marks pages as clean even if they could not be written.
    private let losesFailedWrites: Bool
    /// The number of operations that failed.
    package private(set) var count = 0

    package init(
        at operation: Int, _ random: SeededRandom, _ device: Device, losesFailedWrites: Bool
    ) {
        (self.operation, self.random, self.device) = (operation, random, device)
        self.losesFailedWrites = losesFailedWrites
        isOnce = self.random.below(2) == 0
        isFull = self.random.below(3) == 0
    }

    /// Whether the operation with this number fails.
    func applies(to number: Int) -> Bool { isOnce ? number == operation : number >= operation }

    /// Applies the partial effect of a failed operation, and returns its SQLite error code.
    mutating func fail(_ operation: DiskOperation, _ disk: inout SimulatedDisk) -> Int32 {
        count += 1
        switch operation {
        case .write(let file, let offset, let bytes):
            let part = random.below(2) == 0 ? 0 : random.below(bytes.count)
            if part > 0 {
                disk.apply(.write(file: file, at: offset, bytes: Array(bytes.prefix(part))))
            }
            return isFull ? SQLITE_FULL : ExtendedError.write
        case .sync(let file):
            var damage = Damage(SeededRandom(random.next()), device)
            if losesFailedWrites { disk.failSync(of: file, &damage) }
            return ExtendedError.sync
        // Unlike the writes of a failed sync, the directory entries stay pending. A file system that cannot write an entry
        // becomes read-only, so no program could continue after the loss.
        case .syncDirectory: return ExtendedError.syncDirectory
        case .truncate: return ExtendedError.truncate
        case .remove: return ExtendedError.delete
        case .create: return SQLITE_CANTOPEN
        case .rename: return SQLITE_IOERR
        }
    }
}
