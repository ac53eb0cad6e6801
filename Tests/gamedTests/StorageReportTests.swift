import Testing

@testable import GamedServer
@testable import Shards

/// The log's reports that the storage of the shards failed or recovered.
@Suite struct StorageReportTests {
    @Test func `a failure of many shards is reported once, and their recovery is reported once`() {
        let report = StorageReport()
        for shard in 0..<3 {
            #expect(report.recordIfNew("the storage failed", isWorking: false) == (shard == 0))
            #expect(report.recordIfNew("the storage is out", isWorking: false) == (shard == 0))
        }
        for shard in 0..<3 {
            #expect(report.recordIfNew("the storage works", isWorking: true) == (shard == 0))
        }
        #expect(report.recordIfNew("the storage failed", isWorking: false))
    }
}
