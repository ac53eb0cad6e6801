import Journal
import TestSupport
import Testing

@Suite struct HighWaterMarkFileTests {
    @Test func `an impossible mark is ignored`() throws {
        let folder = Folder()
        let file = try #require(HighWaterMarkFile(folder.path))
        for (position, at) in [(Int.max, Int64(1)), (-1, 1), (1, -1), (1, .max)] {
            file.write(HighWaterMark(position: position, atNs: at))
            #expect(HighWaterMarkFile.newest(in: folder.path) == nil)
        }
        file.write(HighWaterMark(position: 1, atNs: 1))
        #expect(HighWaterMarkFile.newest(in: folder.path) == HighWaterMark(position: 1, atNs: 1))
    }

    @Test func `a mark is read unchanged, and the newer of the two marks in the file is used`()
        throws
    {
        let folder = Folder()
        let file = try #require(HighWaterMarkFile(folder.path))
        #expect(HighWaterMarkFile.newest(in: folder.path) == nil)
        for number in 1...5 as ClosedRange<Int> {
            let mark = HighWaterMark(position: number * 3, atNs: Int64(number) * 1_000_000_000)
            file.write(mark)
            #expect(HighWaterMarkFile.newest(in: folder.path) == mark)
        }
        _ = try #require(HighWaterMarkFile(folder.path))
        #expect(
            HighWaterMarkFile.newest(in: folder.path)
                == HighWaterMark(position: 15, atNs: 5_000_000_000))
    }
}
