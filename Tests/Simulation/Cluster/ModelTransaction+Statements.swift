import Journal
import PostgresStore
import Sessions

/// The statements of a `PostgresStore`. `values` are the parameters of a statement in PostgreSQL's binary format, in the order
/// in which `PostgresStore` numbers them.
extension ModelTransaction {
    func execute(_ command: PostgresCommand) throws(Interruption) -> PostgresResult {
        let values = command.parameters.map(\.bytes)
        guard case .prepared(let statement) = command.form else { return notes(values) }
        switch statement {
        case .append: return try append(values)
        case .acquire: return try acquire(values)
        case .resume: return try resumeOwnership(values)
        case .endWriters: return endWriters(values)
        case .checksums: return checksums(values)
        case .removeAfter: return try removeAfter(values)
        case .walk: return walk(values)
        case .newest: return newest(values)
        case .find: return find(values)
        case .candidates, .prune, .removeNote:
            preconditionFailure("the simulation sends no \(statement)")
        }
    }

    /// A result with two columns of integers.
    private func integers(_ pairs: [(Int, Int)]) -> PostgresResult {
        PostgresResult(
            columns: 2,
            rows: pairs.map { [BinaryValue.int8($0.0).bytes, BinaryValue.int8($0.1).bytes] })
    }

    // MARK: writing

    /// Inserts rows of several shards. Parameter 0 is a list of shards, and parameter 1 has their epochs. Parameter 2 has the
    /// shard of each row. Returns the shards whose epochs are valid. The rows of all other shards are not inserted.
    private func append(_ values: [[UInt8]]) throws(Interruption) -> PostgresResult {
        guard !database.isFull else {
            throw .refused(PostgresError(.refused(sqlState: "53100"), "the disk is full"))
        }
        let lists = values.map(BinaryList.init)
        let pairs = zip(lists[0].integers, lists[1].integers)
        let writableShards = pairs.filter {
            database.fault == .noFence || shard($0).epoch == $1
        }.map(\.0)
        try lock(writableShards, .share)
        let shards = lists[2].integers
        let rows = Self.rows(lists)
        for shard in writableShards {
            try insert(zip(shards, rows).filter { $0.0 == shard }.map(\.1), shard)
        }
        return PostgresResult(columns: 1, rows: writableShards.map { [BinaryValue.int8($0).bytes] })
    }

    /// The rows in the parameters of an append. Each parameter from the third on is a list with a value for each row.
    private static func rows(_ lists: [BinaryList]) -> [JournalRow] {
        let (positions, kinds, sessions) = (lists[3].integers, lists[4].integers, lists[5].texts)
        let (seqs, times) = (lists[6].integers, lists[7].integers)
        let (previousPositions, previousChecksums) = (lists[8].integers, lists[9].integers)
        let (checksums, ids, idNumbers) = (lists[10].integers, lists[11].texts, lists[12].integers)
        return sessions.indices.map { index in
            JournalRow(
                JournalRow.Kind(rawValue: kinds[index])!, position: positions[index],
                session: sessions[index]!, seq: seqs[index], atNs: Int64(times[index]),
                id: ids[index].map { JournalRow.RequestID($0, number: idNumbers[index]) },
                body: lists[13].elements[index]!,
                after: JournalPosition(
                    position: previousPositions[index],
                    checksum: UInt32(previousChecksums[index])),
                checksum: UInt32(checksums[index]))
        }
    }

    /// Removes the rows of a shard after a position, if the epoch is valid.
    private func removeAfter(_ values: [[UInt8]]) throws(Interruption) -> PostgresResult {
        let (number, epoch) = (BinaryList.integer(values[0]), BinaryList.integer(values[1]))
        let position = BinaryList.integer(values[2])
        guard shard(number).epoch == epoch else { return integers([]) }
        try lock([number], .share)
        onCommit { $0.remove(after: position, number) }
        return integers([])
    }

    // MARK: ownership

    /// Makes a node the owner of free shards. Omits each shard whose epoch or lease has changed since the node read it. Returns
    /// the acquired shards with their new epochs.
    private func acquire(_ values: [[UInt8]]) throws(Interruption) -> PostgresResult {
        let owner = String(decoding: values[1], as: UTF8.self)
        let leaseMicroseconds = Int64(BinaryList.integer(values[2])) * 1000
        let expectedEpochs = BinaryList(values[3]).integers
        let expectedLeaseEnds = BinaryList(values[4]).integers.map(Int64.init)
        let clock = database.clock
        let free = BinaryList(values[0]).integers.enumerated().filter { index, number in
            let row = shard(number)
            let isFree = row.owner == owner || row.leaseEnd < clock
            let isUnchanged =
                row.epoch == expectedEpochs[index] && row.leaseEnd == expectedLeaseEnds[index]
            // A negative expected epoch accepts any epoch and any end of the lease.
            return isFree && (expectedEpochs[index] < 0 || isUnchanged)
        }.map(\.element)
        try lock(free, .exclusive)
        let step = database.fault == .epochKept ? 0 : 1
        for number in free {
            onCommit { [backend] in
                $0.change(number) { row in
                    (row.owner, row.process) = (owner, backend.process)
                    (row.epoch, row.backend) = (row.epoch + step, backend.number)
                    row.leaseEnd = clock + leaseMicroseconds
                }
            }
        }
        return integers(free.map { ($0, shard($0).epoch + step) })
    }

    /// Makes a new connection of the owner the writer of its shards, under new epochs.
    private func resumeOwnership(_ values: [[UInt8]]) throws(Interruption) -> PostgresResult {
        let owner = String(decoding: values[1], as: UTF8.self)
        let pairs = zip(BinaryList(values[0]).integers, BinaryList(values[2]).integers)
        let ownedShards = pairs.filter { shard($0).owner == owner && shard($0).epoch == $1 }
            .map(\.0)
        try lock(ownedShards, .exclusive)
        let step = database.fault == .resumedUnderTheSameEpoch ? 0 : 1
        for number in ownedShards {
            onCommit { [backend] in
                $0.change(number) { row in
                    (row.epoch, row.backend) = (row.epoch + step, backend.number)
                }
            }
        }
        return integers(ownedShards.map { ($0, shard($0).epoch + step) })
    }

    /// Ends the database sessions that write to these shards, except the present session. Skips the shards that another node
    /// owns with a lease that has not ended.
    private func endWriters(_ values: [[UInt8]]) -> PostgresResult {
        let owner = String(decoding: values[1], as: UTF8.self)
        for number in BinaryList(values[0]).integers {
            let row = shard(number)
            guard row.owner == owner || row.leaseEnd < database.clock else { continue }
            if row.backend != backend.number { database.terminate(row.backend) }
        }
        return integers([])
    }

    // MARK: reading

    /// Answers `StoreNotes.query`, the only unprepared statement that the simulation sends. The row contains no note, 0 as the
    /// position up to which rows were removed, and the shard's high-water mark.
    private func notes(_ values: [[UInt8]]) -> PostgresResult {
        let row = shard(BinaryList.integer(values[0]))
        let numbers = [0, row.markPosition, row.markAtNs].map { BinaryValue.int8($0).bytes }
        return PostgresResult(columns: 5, rows: [[nil, nil] + numbers])
    }

    private func checksums(_ values: [[UInt8]]) -> PostgresResult {
        if database.fault == .resentWithoutReading { return integers([]) }
        let pairs = zip(BinaryList(values[0]).integers, BinaryList(values[1]).integers)
        return integers(
            pairs.compactMap { shard, position in
                database.tables.rows[shard].last { $0.position == position }
                    .map { (shard, Int($0.checksum)) }
            })
    }

    private func walk(_ values: [[UInt8]]) -> PostgresResult {
        let (number, position) = (BinaryList.integer(values[0]), BinaryList.integer(values[1]))
        let limit = BinaryList.integer(values[2])
        let rows = database.tables.rows[number].lazy.filter { $0.position > position }
        return PostgresResult(columns: 11, rows: rows.prefix(limit).map(Self.columns))
    }

    private func newest(_ values: [[UInt8]]) -> PostgresResult {
        let rows = database.tables.rows[BinaryList.integer(values[0])]
        let kindWithoutState = BinaryList.integer(values[2])
        return PostgresResult(
            columns: 13,
            rows: BinaryList(values[1]).texts.compactMap { name in
                guard let last = rows.last(where: { $0.session == name }),
                    let row = rows.last(where: {
                        $0.session == name && $0.kind.rawValue != kindWithoutState
                    })
                else { return nil }
                let newestPosition = [last.position, Int(last.checksum)]
                return Self.columns(row) + newestPosition.map { BinaryValue.int8($0).bytes }
            })
    }

    private func find(_ values: [[UInt8]]) -> PostgresResult {
        let name = String(decoding: values[1], as: UTF8.self)
        let numbers = values.map(BinaryList.integer)
        let (shard, positions, seqLimit) = (numbers[0], numbers[2]...numbers[3], numbers[4])
        let (rowLimit, byteLimit) = (numbers[6], numbers[7])
        let kinds = BinaryList(values[5]).integers
        let found = database.tables.rows[shard].reversed().lazy.filter {
            $0.session == name && positions ~= $0.position && $0.seq < seqLimit
                && kinds.contains($0.kind.rawValue)
        }
        var bytes = 0
        let page = found.prefix(rowLimit).prefix { row in
            defer { bytes += row.body.count }
            return bytes < byteLimit
        }
        return PostgresResult(columns: 11, rows: page.map(Self.columns))
    }

    private static func columns(_ row: JournalRow) -> [[UInt8]?] {
        let before = [row.position, row.kind.rawValue].map { BinaryValue.int8($0).bytes }
        let numbers = [
            row.seq, Int(row.atNs), row.previous.position, Int(row.previous.checksum),
            Int(row.checksum),
        ]
        return before + [Array(row.session.utf8)] + numbers.map { BinaryValue.int8($0).bytes }
            + [
                row.id.map { Array($0.text.utf8) },
                row.id.map { BinaryValue.int8($0.number).bytes }, row.body,
            ]
    }
}
