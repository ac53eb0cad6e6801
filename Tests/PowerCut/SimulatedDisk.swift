/// A disk with the operating system's memory before it: what programs see, what a power cut leaves
/// for certain, and what lies between the two.
package struct SimulatedDisk: Sendable {
    /// What programs read.
    package private(set) var now: DiskImage
    /// What was synced.
    package private(set) var kept: DiskImage
    /// What was done since, in order.
    package private(set) var pending: [DiskOperation] = []

    /// A disk after the power came back: all that is there is there for good.
    package init(_ image: DiskImage = DiskImage()) { (now, kept) = (image, image) }

    mutating func addFile() -> Int { now.addFile() }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .sync(let file):
            for operation in takePending({ $0.file == file }) { kept.apply(operation) }
        case .syncDirectory:
            for operation in takePending(\.isEntry) { kept.apply(operation) }
        case .write, .truncate, .create, .remove, .rename:
            now.apply(operation)
            pending.append(operation)
        }
    }

    /// A sync that failed for good: what it should have made last is damaged, and nobody will try
    /// it again. It still reads as if it were there.
    mutating func failSync(of file: Int, _ damage: inout Damage) {
        kept = damage.left(of: kept, takePending { $0.file == file })
    }

    /// Has a file, which was synced, read from the disk from here on.
    mutating func forget(_ file: Int) { now.replace(file, by: kept) }

    /// Takes out what a sync is about.
    private mutating func takePending(_ isMeant: (DiskOperation) -> Bool) -> [DiskOperation] {
        var taken: [DiskOperation] = []
        var others: [DiskOperation] = []
        for operation in pending {
            if isMeant(operation) { taken.append(operation) } else { others.append(operation) }
        }
        pending = others
        return taken
    }
}
