internal import CSQLite
package import TestSupport

/// An error of the disk, at an operation and perhaps at all that come after it.
package struct Fault: Sendable {
    private let place: Int
    private let isOnce: Bool
    private let isFull: Bool
    private var random: SeededRandom
    private let device: Device
    /// Whether a sync that fails will not be made up for: what it was about reads as if it were
    /// there, and no later sync brings it to the disk. So it is in Linux, where a page that could
    /// not be written is clean.
    private let forgets: Bool
    /// How often it struck.
    package private(set) var count = 0

    package init(at place: Int, _ random: SeededRandom, _ device: Device, forgets: Bool) {
        (self.place, self.random, self.device) = (place, random, device)
        self.forgets = forgets
        isOnce = self.random.below(2) == 0
        isFull = self.random.below(3) == 0
    }

    func strikes(_ number: Int) -> Bool { isOnce ? number == place : number >= place }

    /// Does what an operation leaves when it fails, and says how SQLite hears of it.
    mutating func strike(_ operation: DiskOperation, _ disk: inout SimulatedDisk) -> Int32 {
        count += 1
        switch operation {
        case .write(let file, let offset, let bytes):
            let part = random.below(2) == 0 ? 0 : random.below(bytes.count)
            if part > 0 {
                disk.apply(.write(file: file, at: offset, bytes: Array(bytes.prefix(part))))
            }
            return isFull ? SQLITE_FULL : SQLITE_IOERR | 3 << 8
        case .sync(let file):
            var damage = Damage(SeededRandom(random.next()), device)
            if forgets { disk.failSync(of: file, &damage) }
            return SQLITE_IOERR | 4 << 8
        // Entries are still on their way: a file system that loses one takes no more at all.
        case .syncDirectory: return SQLITE_IOERR | 5 << 8
        case .truncate: return SQLITE_IOERR | 6 << 8
        case .remove: return SQLITE_IOERR | 10 << 8
        case .create: return SQLITE_CANTOPEN
        case .rename: return SQLITE_IOERR
        }
    }
}
