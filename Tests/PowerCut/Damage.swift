package import TestSupport

/// The damage that a power cut does to operations that were not synced. Each sector of a write is kept, torn or lost. Each
/// other operation, such as a truncation or a change of a directory entry, is kept or lost. A seed determines these decisions,
/// which are independent of each other.
package struct Damage: Sendable {
    /// The size of a sector, in bytes.
    static let sectorSize = 512

    private var random: SeededRandom
    private let device: Device
    /// How many per cent of the sectors are written completely.
    private let keptPercent: Int
    /// How many per cent of the sectors are torn: only their beginning is written.
    private let tornPercent: Int
    package private(set) var tally = DamageTally()

    package init(_ random: SeededRandom, _ device: Device) {
        (self.random, self.device) = (random, device)
        switch self.random.below(8) {
        case 0: (keptPercent, tornPercent) = (0, 0)
        case 1: (keptPercent, tornPercent) = (100, 0)
        default:
            (keptPercent, tornPercent) = (
                self.random.pick([10, 50, 90]), self.random.pick([0, 5, 10])
            )
        }
    }

    /// The content of the disk after a power cut.
    package mutating func image(of disk: SimulatedDisk) -> DiskImage {
        image(of: disk.durable, disk.pending)
    }

    /// The durable content, with those parts of the pending operations that reach the disk.
    mutating func image(of durable: DiskImage, _ pending: [DiskOperation]) -> DiskImage {
        var image = durable
        for operation in pending { apply(operation, &image) }
        return image
    }

    private mutating func apply(_ operation: DiskOperation, _ image: inout DiskImage) {
        if case .write(let file, let offset, let bytes) = operation {
            return write(file, offset, bytes, &image)
        }
        let isKept = random.below(100) < keptPercent
        if isKept { image.apply(operation) }
        switch (operation.isEntry, isKept) {
        case (true, true): tally.entriesKept += 1
        case (true, false): tally.entriesUndone += 1
        case (false, true): tally.truncationsKept += 1
        case (false, false): tally.truncationsUndone += 1
        }
    }

    // MARK: sectors

    /// Writes each sector of `bytes` completely, in part or not at all. `file` is the number of the file.
    private mutating func write(
        _ file: Int, _ offset: Int, _ bytes: [UInt8], _ image: inout DiskImage
    ) {
        var from = offset
        let end = offset + bytes.count
        while from < end {
            let next = min(end, (from / Self.sectorSize + 1) * Self.sectorSize)
            let part = bytes[(from - offset)..<(next - offset)]
            let chance = random.below(100)
            if chance < keptPercent {
                image.write(file, from, part)
                tally.keptSectors += 1
            } else if chance < keptPercent + tornPercent {
                tear(file, from, part, &image)
                tally.tornSectors += 1
            } else {
                // The file may have its new length without the new bytes.
                if random.below(4) == 0 { image.grow(file, to: next) }
                tally.droppedSectors += 1
            }
            from = next
        }
    }

    /// Writes only the beginning of a sector. The remaining bytes have their old content, or random bytes.
    private mutating func tear(
        _ file: Int, _ offset: Int, _ part: ArraySlice<UInt8>, _ image: inout DiskImage
    ) {
        let writtenCount = random.below(part.count + 1)
        image.write(file, offset, part.prefix(writtenCount))
        guard random.below(2) == 0 else { return }
        image.write(file, offset + writtenCount, noise(part.count - writtenCount))
        if !device.isPowersafeOverwrite { damageNeighbours(file, offset, part.count, &image) }
    }

    /// Overwrites the bytes before and after the written ones in the same sector with random bytes.
    private mutating func damageNeighbours(
        _ file: Int, _ offset: Int, _ count: Int, _ image: inout DiskImage
    ) {
        let start = offset / Self.sectorSize * Self.sectorSize
        let end = min(start + Self.sectorSize, image.size(file))
        image.write(file, start, noise(offset - start))
        if offset + count < end { image.write(file, offset + count, noise(end - offset - count)) }
    }

    /// Random bytes.
    private mutating func noise(_ count: Int) -> ArraySlice<UInt8> {
        var word: UInt64 = 0
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count {
                word = index % 8 == 0 ? random.next() : word >> 8
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: word))
            }
            filled = count
        }[...]
    }
}
