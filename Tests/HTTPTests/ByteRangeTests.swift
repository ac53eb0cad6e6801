import Testing

@testable import HTTP

/// The header `Range`.
@Suite struct ByteRangeTests {
    @Test(arguments: [
        ("bytes=0-", 0..<100), ("bytes=10-19", 10..<20), ("BYTES=99-99", 99..<100),
        ("bytes=90-500", 90..<100), ("bytes=-5", 95..<100), ("bytes=-500", 0..<100),
        ("bytes=0-99999999999999999999999", 0..<100), ("bytes=0-\(Int.max)", 0..<100),
        ("bytes=0-\(Int.max - 1)", 0..<100), ("bytes=-\(Int.max)", 0..<100),
    ])
    func `a part of a file`(_ header: String, _ range: Range<Int>) {
        #expect(ByteRange(header, ofSize: 100) == .part(range))
    }

    @Test(arguments: [
        "bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-",
        "bytes=\(Int.max)-", "bytes=\(Int.max)-\(Int.max)",
    ])
    func `a part that the file does not have`(_ header: String) {
        #expect(ByteRange(header, ofSize: 100) == .unsatisfiable)
    }

    /// A server may ignore a header that it does not understand.
    @Test(arguments: [
        nil, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=0-1,3-4",
        "lines=0-1",
        "bytes=+1-2", "bytes= 1-2",
    ])
    func `any other header counts as none`(_ header: String?) {
        #expect(ByteRange(header, ofSize: 100) == .whole)
    }

    @Test func `an empty file has no part`() {
        #expect(ByteRange("bytes=0-", ofSize: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-1", ofSize: 0) == .unsatisfiable)
        #expect(ByteRange(nil, ofSize: 0) == .whole)
    }
}
