import Testing

@testable import GameFlow

/// The random values of a session. docs/flow-files.md lists the first ten of the seed 1, and they never change.
@Suite struct ChanceTests {
    @Test func `the first values of a seed are those in the documentation`() {
        var chance = Chance(seed: 1)
        #expect(
            (0..<10).map { _ in chance.next() } == [
                10_905_525_725_756_348_110, 2_092_789_425_003_139_053, 7_958_955_049_054_603_978,
                7_134_611_160_154_358_618, 13_647_215_125_184_110_592, 7_191_089_600_892_374_487,
                11_409_396_526_365_357_622, 12_587_370_737_594_032_228, 614_480_483_733_483_466,
                5_833_679_380_957_638_813,
            ])
        #expect(chance == Chance(seed: 1, drawn: 10))
        chance = Chance(seed: 1)
        #expect((0..<10).map { _ in 1 + chance.next(below: 6) } == [5, 4, 5, 3, 3, 4, 5, 5, 5, 4])
    }

    @Test func `a value is the first of a generator with the seed plus its number`() {
        var (first, second) = (Chance(seed: .max), Chance(seed: 4, drawn: 2))
        var (sameAsFirst, sameAsSecond) = (Chance(seed: 0, drawn: .max), Chance(seed: 0, drawn: 6))
        #expect(first.next() == sameAsFirst.next())
        #expect(second.next() == sameAsSecond.next())
    }

    @Test func `a value above the largest multiple is rejected and counted`() {
        // Below 2^63 + 1, nearly half of all values are rejected.
        let count = UInt64(1) << 63 + 1
        var chance = Chance(seed: 1)
        for _ in 0..<1000 { #expect(chance.next(below: count) < count) }
        #expect(1900...2100 ~= chance.drawn)
        chance = Chance(seed: 1)
        for _ in 0..<1000 { #expect(chance.next(below: 1) == 0) }
        #expect(chance.drawn == 1000)
    }
}
