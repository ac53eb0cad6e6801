import PowerCut
import TestSupport
import Testing

@Suite struct DiskTests {
    /// A disk with one file of three sectors. The file was synced, and a write to its first two sectors is pending.
    private func disk() -> SimulatedDisk {
        var disk = SimulatedDisk()
        disk.apply(.create(name: "a", file: 0))
        disk.apply(.write(file: 0, at: 0, bytes: [UInt8](repeating: 1, count: 1536)))
        disk.apply(.sync(file: 0))
        disk.apply(.syncDirectory)
        disk.apply(.write(file: 0, at: 0, bytes: [UInt8](repeating: 2, count: 1024)))
        return disk
    }

    /// The content of the disk after a power cut, for each of many seeds.
    private func outcomes(_ disk: SimulatedDisk) -> [DiskImage] {
        seeds(500).map { seed in
            var random = SeededRandom(seed)
            let device = Device(&random)
            var damage = Damage(SeededRandom(seed), device)
            return damage.image(of: disk)
        }
    }

    @Test func `written bytes are read back immediately, and survive a power cut after a sync`()
        throws
    {
        var disk = disk()
        #expect(disk.cached["a"]?[0] == 2)
        #expect(disk.durable["a"]?[0] == 1)
        disk.apply(.sync(file: 0))
        #expect(disk.durable == disk.cached)
        #expect(disk.pending.isEmpty)
        #expect(outcomes(disk).allSatisfy { $0 == disk.cached })
    }

    @Test func `each sector of a write is kept, dropped or torn independently`() throws {
        let oldSector = [UInt8](repeating: 1, count: 512)
        let outcomes = outcomes(disk()).compactMap { $0["a"] }
        #expect(outcomes.count == 500)
        let combinations = Set(
            outcomes.map { content in
                [0, 512].map { start in
                    let sector = Array(content[start..<(start + 512)])
                    return sector == oldSector
                        ? "dropped" : sector.allSatisfy { $0 == 2 } ? "kept" : "torn"
                }
            })
        // Three results for each of the two sectors.
        #expect(combinations.count == 9)
    }

    @Test func `sectors that were not written are unchanged`() {
        for outcome in outcomes(disk()) {
            #expect(outcome["a"]?[1024...].allSatisfy { $0 == 1 } == true)
        }
    }

    @Test func `a synced file can be missing if its directory was not synced`() {
        var disk = SimulatedDisk()
        disk.apply(.create(name: "a", file: 0))
        disk.apply(.write(file: 0, at: 0, bytes: [1, 2, 3]))
        disk.apply(.sync(file: 0))
        #expect(Set(outcomes(disk).map { $0["a"] }) == [nil, [1, 2, 3]])
    }

    @Test func `a removed file can exist again`() {
        var disk = disk()
        disk.apply(.sync(file: 0))
        disk.apply(.remove(name: "a"))
        #expect(disk.cached["a"] == nil)
        #expect(Set(outcomes(disk).map { $0["a"]?.count }) == [nil, 1536])
    }

    @Test func `a shortened file can have its old length again`() {
        var disk = disk()
        disk.apply(.sync(file: 0))
        disk.apply(.truncate(file: 0, to: 10))
        #expect(disk.cached["a"]?.count == 10)
        #expect(Set(outcomes(disk).map { $0["a"]?.count }) == [10, 1536])
    }

    @Test func `a file can have its new length without the new bytes`() {
        var disk = disk()
        disk.apply(.sync(file: 0))
        disk.apply(.write(file: 0, at: 1536, bytes: [UInt8](repeating: 3, count: 512)))
        let outcomes = outcomes(disk).compactMap { $0["a"] }
        #expect(outcomes.contains { $0.count == 1536 })
        #expect(outcomes.contains { $0.count == 2048 && $0[1536...].allSatisfy { $0 == 0 } })
    }
}
