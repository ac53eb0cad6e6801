import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// The Python reader of row bodies (row_body.py) finds the same members as `gamectl journal export` prints.
@Suite struct RowBodyReaderTests {
    @Test func `the Python reader reads each row as the export shows it`() throws {
        let fixture = StateDirectoryFixture()
        try fixture.play()
        let main = try fixture.sessions.session(.main)
        // The journal has numbers for the usual kinds of sources. It stores this kind by its name.
        let osc = Source(Source.Kind("osc"), peer: .address("10.0.0.7:9000"))
        _ = try fixture.sessions.operate(
            TimerOperation("timeUp", .pause), on: main, RequestContext(from: osc))
        // The records of two outputs. The first output belongs to a change and was delivered. The second output was requested
        // by the session `main` without a change, and was accepted for sending.
        let acceptedKey = DeliveryRecord.Key(pos: 2, line: 7, occasion: 1)
        _ = fixture.sessions.recordDeliveries([
            DeliveryRecord(.init(pos: 1, line: 0xA7, occasion: 0), number: 1, .delivered),
            DeliveryRecord(acceptedKey, number: 2, acceptedFor: .main),
        ])
        _ = try fixture.sessions.advance(.by(.seconds(1)), from: osc)
        try fixture.write()
        let forget = StateDirectoryFixture.run(
            "journal forget q --state-dir \(fixture.path) --yes")
        #expect(forget.status == 0, "\(forget.output)")
        let (output, status) = StateDirectoryFixture.run(
            "journal export \(fixture.path)",
            "python3 -B -c '\(Self.program)' \(fixture.path)/journal.db")
        #expect(status == 0)
        #expect(output == "advance, change, delivery, forgotten, start\n")
    }

    /// Compares each member of the exported rows, on standard input, with what the reader finds in the journal's rows. Prints
    /// the differences and then the kinds of the rows. Numbers are compared as texts, because the export has nanoseconds as
    /// texts. Not compared are `orders` (the order of the timers), which the reader skips, and members that only the reader
    /// has.
    private static let program = """
        import json, sqlite3, sys
        sys.path.insert(0, "\(RepositoryFile.root)/Tests/gamedTests/Clients/kills")
        import row_body

        def differences(exported, read, path):
            if isinstance(exported, dict) and isinstance(read, dict):
                for name in exported.keys() - {"orders"}:
                    yield from differences(exported[name], read.get(name), f"{path}.{name}")
            elif isinstance(exported, list) and isinstance(read, list) and len(exported) == len(read):
                for number, pair in enumerate(zip(exported, read)):
                    yield from differences(*pair, f"{path}[{number}]")
            elif str(exported) != str(read):
                yield f"{path}: {exported} {read}"

        columns = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True).execute("SELECT position, body FROM row")
        bodies = {position: row_body.decode(body) for position, body in columns}
        kinds = set()
        for row in map(json.loads, sys.stdin):
            read = bodies.pop(row["position"])
            kinds.add(read.get("kind", "change") if row["session"] is None else "change")
            for difference in differences(row["body"], read, str(row["position"])):
                print(difference)
        print(", ".join(sorted(kinds)), *bodies)
        """
}
