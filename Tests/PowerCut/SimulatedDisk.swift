/// A disk with the page cache of the operating system: what programs read, what is durable, and the pending operations
/// between the two.
package struct SimulatedDisk: Sendable {
    /// The content in the page cache, which programs read.
    package private(set) var cached: DiskImage
    /// The content that was synced; a power cut leaves at least this content.
    package private(set) var durable: DiskImage
    /// The operations that were not synced, in order.
    package private(set) var pending: [DiskOperation] = []

    /// A disk after a power cut: all of its content is durable.
    package init(_ image: DiskImage = DiskImage()) { (cached, durable) = (image, image) }

    mutating func addFile() -> Int { cached.addFile() }

    package mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .sync(let file):
            for operation in takePending({ $0.file == file }) { durable.apply(operation) }
        case .syncDirectory:
            for operation in takePending(\.isEntry) { durable.apply(operation) }
        case .write, .truncate, .create, .remove, .rename:
            cached.apply(operation)
            pending.append(operation)
        }
    }

    /// A sync fails. Its writes reach the disk only in part, and no later sync repeats them; reads still return them.
    mutating func failSync(of file: Int, _ damage: inout Damage) {
        durable = damage.image(of: durable, takePending { $0.file == file })
    }

    /// Drops a file's cached content, so that it is read from the disk. The file must have been synced.
    mutating func dropCachedPages(of file: Int) { cached.replace(file, by: durable) }

    /// Removes and returns the pending operations that a sync applies to.
    private mutating func takePending(_ isIncluded: (DiskOperation) -> Bool) -> [DiskOperation] {
        var taken: [DiskOperation] = []
        var others: [DiskOperation] = []
        for operation in pending {
            if isIncluded(operation) { taken.append(operation) } else { others.append(operation) }
        }
        pending = others
        return taken
    }
}
