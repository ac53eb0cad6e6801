import Journal
import JournalTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

@Suite struct JournalSearchTests {
    private let folder = Folder()

    @Test func `a page is read in steps, and rows written meanwhile do not affect it`()
        throws
    {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...200)
        try file.append(Array(rows[..<150]))
        let query = JournalQuery(session: "even", positions: 1...150, limit: 60)
        var (search, steps) = (JournalSearch(query), 1)
        while try !search.step(in: file, isTimeUp: { true }) {
            try file.append([rows[149 + steps]])
            try file.checkpoint()
            steps += 1
        }
        // The time is always up, so a step examines only seven of the page's 60 rows.
        #expect(steps == 9 && search.page == query.page(of: rows))
    }
}
