package import EventLoop
internal import Glibc
package import Journal
internal import Sessions

/// A journal in a file of lines: one for each row and each note.
package final class LineJournal: LocalJournal, JournalCopy {
    package static let fileNames = ["journal.lines"]

    private let path: String
    fileprivate private(set) var rows: [JournalRow] = []
    private var notes: [String: String] = [:]

    package init(existing path: String) throws(StoreError) {
        self.path = path
        guard let file = fopen(path, "r") else { throw Self.error(path) }
        defer { fclose(file) }
        var (line, capacity): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        defer { free(line) }
        while getline(&line, &capacity, file) > 0, let line { try add(String(cString: line)) }
    }

    private init(new path: String) { self.path = path }

    package convenience init(reading path: String) throws(StoreError) {
        try self.init(existing: path)
    }

    package convenience init(
        in directory: String, converting conversion: (any RowConversion.Type)?,
        reportProgress: (_ done: Int, _ total: Int) -> Void
    ) throws(StoreError) {
        let path = "\(directory)/\(Self.fileName)"
        if access(path, F_OK) != 0 { try LineJournal(new: path).save() }
        try self.init(existing: path)
    }

    package static func store(
        in directory: String, holding lock: DirectoryLock, on loop: LibeventLoop
    ) throws(EventLoopError) -> any Store {
        LineStore(directory, lock)
    }

    private static func error(_ path: String) -> StoreError {
        let kind: StoreError.Kind = errno == ENOSPC ? .full : .other
        return StoreError(kind, why: "\(path): \(String(cString: strerror(errno)))")
    }

    // MARK: lines

    /// Adds what a line contains: the name and the value of a note, or the fields of a row.
    private func add(_ line: String) throws(StoreError) {
        let fields = line.split(whereSeparator: \.isWhitespace).map(Self.bytes)
        let texts = fields.map { String(decoding: $0, as: UTF8.self) }
        let numbers = texts.map { Int($0) ?? -1 }
        switch fields.count {
        case 2: notes[texts[0]] = texts[1]
        case 11:
            rows.append(
                JournalRow(
                    JournalRow.Kind(rawValue: numbers[0]) ?? .daemon, position: numbers[1],
                    session: texts[2], seq: numbers[3], atNs: Int64(numbers[4]),
                    id: texts[5].isEmpty
                        ? nil : JournalRow.RequestID(texts[5], number: numbers[6]),
                    body: fields[7],
                    after: JournalPosition(
                        position: numbers[8], checksum: UInt32(truncatingIfNeeded: numbers[9])),
                    checksum: UInt32(truncatingIfNeeded: numbers[10])))
        default: throw StoreError(.damaged, why: "the file is not a journal")
        }
    }

    private static func line(of row: JournalRow) -> String {
        let numbersAndTexts = [
            "\(row.kind.rawValue)", "\(row.position)", row.session, "\(row.seq)", "\(row.atNs)",
            row.id?.text ?? "", "\(row.id?.number ?? 0)",
        ]
        let links = ["\(row.previous.position)", "\(row.previous.checksum)", "\(row.checksum)"]
        let fields =
            numbersAndTexts.map { Array($0.utf8) } + [row.body] + links.map { Array($0.utf8) }
        return fields.map(field).joined(separator: " ")
    }

    /// The bytes in hexadecimal digits, after a mark that makes an empty field visible.
    private static func field(_ bytes: [UInt8]) -> String {
        "x" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static func bytes(_ field: Substring) -> [UInt8] {
        let digits = field.dropFirst().compactMap(\.hexDigitValue)
        return stride(from: 1, to: digits.count, by: 2).map {
            UInt8(digits[$0 - 1] << 4 | digits[$0])
        }
    }

    /// Writes the file under a temporary name, and renames it when it is durable.
    private func save() throws(StoreError) {
        let temporaryPath = "\(path).new"
        guard let file = fopen(temporaryPath, "w") else { throw Self.error(path) }
        defer { fclose(file) }
        let noteLines = notes.map { "\(Self.field(Array($0.utf8))) \(Self.field(Array($1.utf8)))" }
        for line in noteLines + rows.map(Self.line) { fputs("\(line)\n", file) }
        guard fflush(file) == 0, fsync(fileno(file)) == 0, rename(temporaryPath, path) == 0 else {
            throw Self.error(path)
        }
    }

    // MARK: versions

    package let version = RowFormat.newestVersion
    package func conversionError(in directory: String?) -> StoreError? { nil }
    package func conversionPlan(in directory: String) throws(StoreError) -> ConversionPlan? { nil }
    package static func copyPath(of version: String, in directory: String) -> String {
        "\(directory)/\(fileName).v\(version)"
    }
    package static func keptCopies(in directory: String) -> [String] { [] }

    // MARK: rows

    package func newestPosition() -> Int { rows.last?.position ?? 0 }
    package func prunedUpTo() -> Int { Int(notes["pruned"] ?? "") ?? 0 }
    package func rows(_ handleRow: (JournalRow) -> Bool) {
        for row in rows where !handleRow(row) { return }
    }
    package func erasedPositions() -> [Int] { Set(rows.flatMap(\.erasedPositions)).sorted() }

    package func erasure(of session: String) throws(ErasureError) -> Erasure {
        try Erasure(of: rows.filter { $0.session == session })
    }

    package func erase(_ session: String) throws(ErasureError) -> Erasure {
        let erasure = try erasure(of: session)
        let daemonRows = Erasure.daemonRows(rows.filter { $0.session.isEmpty }, without: session)
        let replaced = Set(daemonRows.map(\.position))
        rows.removeAll { $0.session == session || replaced.contains($0.position) }
        rows = (rows + daemonRows + [erasure.row]).sorted { $0.position < $1.position }
        do throws(StoreError) { try save() } catch { throw .storage(error) }
        return erasure
    }

    fileprivate func replaceRows(_ rows: [JournalRow]) throws(StoreError) {
        self.rows = rows
        try save()
    }

    // MARK: notes

    package func note(_ name: String) -> String? { notes[name] }
    package func removeNote(_ name: String) throws(StoreError) {
        notes[name] = nil
        try save()
    }
    package func setNote(_ name: String, _ value: String) throws(StoreError) {
        notes[name] = value
        try save()
    }

    // MARK: files

    package func checkpoint() {}
    package var bytes: Int { rows.reduce(0) { $0 + Self.line(of: $1).utf8.count } }
    package func faults() -> [String] { [] }

    package static func restore(
        _ path: String, to directory: String, movingAside oldNames: [String], suffix: String
    ) throws(StoreError) -> [String] {
        let backup = try LineJournal(existing: path)
        let present = oldNames.filter { access("\(directory)/\($0)", F_OK) == 0 }
        for name in present { rename("\(directory)/\(name)", "\(directory)/\(name).\(suffix)") }
        let journal = LineJournal(new: "\(directory)/\(fileName)")
        (journal.rows, journal.notes) = (backup.rows, backup.notes)
        try journal.save()
        return present.map { "\($0).\(suffix)" }
    }

    // MARK: a copy of the rows of another store

    package static func copy(to path: String) throws(StoreError) -> any JournalCopy {
        LineJournal(new: path)
    }

    package func append(_ newRows: [JournalRow]) throws(StoreError) {
        try replaceRows(rows + newRows)
    }

    package func recordPruned(upTo position: Int) throws(StoreError) {
        try setNote("pruned", "\(position)")
    }

    package func finish() -> BackupSummary {
        var scan = JournalScan(prunedUpTo: prunedUpTo())
        for row in rows { scan.add(row) }
        return BackupSummary(
            bytes: bytes, rows: rows.count, sessions: scan.sessions, position: newestPosition(),
            damaged: scan.damage.count)
    }
}

/// The store of a `LineJournal`. It has the rows in memory, and writes the file with each batch. A store for use would write on a
/// thread of its own, so that the loop does not wait for the disk.
final class LineStore: MemoryStore {
    private let directory: String
    private let lock: DirectoryLock
    private let marks: HighWaterMarkFile?

    init(_ directory: String, _ lock: DirectoryLock) {
        (self.directory, self.lock) = (directory, lock)
        marks = HighWaterMarkFile(directory)
        super.init()
        if let journal = try? journal() { insert(journal.rows) }
    }

    @available(*, unavailable) override init() { fatalError("a LineStore has a directory") }

    private func journal() throws(StoreError) -> LineJournal {
        try LineJournal(in: directory, converting: nil) { _, _ in }
    }

    override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        do throws(StoreError) {
            try journal().append(batch)
            super.append(batch, done)
        } catch { done(.unknown(why: error.why)) }
    }

    override func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        super.prune(positions) { [self] result in
            done(
                result.flatMap {
                    write { (journal) throws(StoreError) in try journal.replaceRows(rows) }
                })
        }
    }

    override func removeNote(_ name: String) {
        _ = write { (journal) throws(StoreError) in try journal.removeNote(name) }
    }

    override func mark(_ mark: HighWaterMark) { marks?.write(mark) }

    override func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) {
        done(
            Result { () throws(StoreError) in
                let copy = try LocalJournals.first.copy(to: path)
                try copy.append(rows)
                for (name, value) in notes { try copy.setNote(name, value) }
                return try copy.finish()
            })
    }

    override func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    {
        super.recover(keeping: last) { [self] _ in
            let result = write { (journal) throws(StoreError) in try journal.replaceRows(rows) }
            switch result {
            case .success: done(nil)
            case .failure(let error): done(error.why)
            }
        }
    }

    private func write(_ change: (LineJournal) throws(StoreError) -> Void) -> Result<
        Void, StoreError
    > {
        Result { () throws(StoreError) in try change(journal()) }
    }
}
