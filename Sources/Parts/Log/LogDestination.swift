/// Where the lines of the log go.
package protocol LogDestination: Sendable {
    /// Writes an entry. May block: only the thread of `LogWriter` calls it while the daemon serves.
    func write(_ entry: LogEntry)
}
