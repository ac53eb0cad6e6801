/// A new journal that gets the rows of another store, such as a PostgreSQL database. It gets its final name only when it is
/// complete, verified and durable. Its calls block on the disk.
package protocol JournalCopy: AnyObject {
    /// Adds the next rows.
    func append(_ rows: [JournalRow]) throws(StoreError)
    /// Adds a note about the journal.
    func setNote(_ name: String, _ value: String) throws(StoreError)
    /// Records the position up to which rows were removed from the other store because of their age.
    func recordPruned(upTo position: Int) throws(StoreError)
    /// Verifies the copy, makes it durable, and gives it its final name. No method may be called afterwards.
    func finish() throws(StoreError) -> BackupSummary
}
