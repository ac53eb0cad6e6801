import Testing

@testable import GamedServer

/// The log's reports that the storage of the shards failed or recovered.
@Suite struct StorageReportTests {
    @Test func `a failure of many shards is reported once, and so is the recovery`() {
        let report = StorageReport()
        for shard in 0..<3 {
            #expect(report.isNew(false, "the storage failed") == (shard == 0))
            #expect(report.isNew(false, "the storage is out") == (shard == 0))
        }
        for shard in 0..<3 { #expect(report.isNew(true, "the storage works") == (shard == 0)) }
        #expect(report.isNew(false, "the storage failed"))
    }
}
