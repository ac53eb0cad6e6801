package import TestSupport

/// What a power cut does to that which was not synced, drawn from a seed: of each write each
/// sector, and each truncation and directory entry, comes through or not, whatever becomes of the
/// others.
package struct Damage: Sendable {
    static let sector = 512

    private var random: SeededRandom
    private let device: Device
    /// Of a hundred sectors, how many come through, and how many do half.
    private let keeps: Int
    private let tears: Int
    package private(set) var tally = DamageTally()

    package init(_ random: SeededRandom, _ device: Device) {
        (self.random, self.device) = (random, device)
        switch self.random.below(8) {
        case 0: (keeps, tears) = (0, 0)
        case 1: (keeps, tears) = (100, 0)
        default: (keeps, tears) = (self.random.pick([10, 50, 90]), self.random.pick([0, 5, 10]))
        }
    }

    /// The disk as it is found when the power is back.
    package mutating func left(of disk: SimulatedDisk) -> DiskImage {
        left(of: disk.kept, disk.pending)
    }

    mutating func left(of kept: DiskImage, _ pending: [DiskOperation]) -> DiskImage {
        var image = kept
        for operation in pending { harm(operation, &image) }
        return image
    }

    private mutating func harm(_ operation: DiskOperation, _ image: inout DiskImage) {
        if case .write(let file, let offset, let bytes) = operation {
            return write(file, offset, bytes, &image)
        }
        let comesThrough = random.below(100) < keeps
        if comesThrough { image.apply(operation) }
        switch (operation.isEntry, comesThrough) {
        case (true, true): tally.entriesKept += 1
        case (true, false): tally.entriesUndone += 1
        case (false, true): tally.truncationsKept += 1
        case (false, false): tally.truncationsUndone += 1
        }
    }

    // MARK: sectors

    private mutating func write(
        _ file: Int, _ offset: Int, _ bytes: [UInt8], _ image: inout DiskImage
    ) {
        var from = offset
        let end = offset + bytes.count
        while from < end {
            let next = min(end, (from / Self.sector + 1) * Self.sector)
            let part = bytes[(from - offset)..<(next - offset)]
            let lot = random.below(100)
            if lot < keeps {
                image.write(file, from, part)
                tally.kept += 1
            } else if lot < keeps + tears {
                tear(file, from, part, &image)
                tally.torn += 1
            } else {
                // The file can have grown all the same, with nothing in it.
                if random.below(4) == 0 { image.grow(file, to: next) }
                tally.dropped += 1
            }
            from = next
        }
    }

    /// The beginning of a sector is there, and behind it what was before, or anything.
    private mutating func tear(
        _ file: Int, _ offset: Int, _ part: ArraySlice<UInt8>, _ image: inout DiskImage
    ) {
        let whole = random.below(part.count + 1)
        image.write(file, offset, part.prefix(whole))
        guard random.below(2) == 0 else { return }
        image.write(file, offset + whole, noise(part.count - whole))
        if !device.sparesNeighbours { harmNeighbours(file, offset, part.count, &image) }
    }

    /// What was in the sector beside the write is gone, too.
    private mutating func harmNeighbours(
        _ file: Int, _ offset: Int, _ count: Int, _ image: inout DiskImage
    ) {
        let start = offset / Self.sector * Self.sector
        let end = min(start + Self.sector, image.size(file))
        image.write(file, start, noise(offset - start))
        if offset + count < end { image.write(file, offset + count, noise(end - offset - count)) }
    }

    private mutating func noise(_ count: Int) -> ArraySlice<UInt8> {
        var word: UInt64 = 0
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            for place in 0..<count {
                word = place % 8 == 0 ? random.next() : word >> 8
                buffer.initializeElement(at: place, to: UInt8(truncatingIfNeeded: word))
            }
            filled = count
        }[...]
    }
}
