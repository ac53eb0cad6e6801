import Glibc
import PostgresTestSupport

/// An owner that stalls in the middle of an append. The owner is a process of psql. It makes itself the owner, begins a
/// transaction and locks the shard's row. Then psql gets no further command. It holds the lock until the server ends its
/// connection or this object is released.
final class StalledOwner {
    private let fixture: StoreFixture
    private let pipe: UnsafeMutablePointer<FILE>?

    init(_ fixture: StoreFixture) {
        self.fixture = fixture
        pipe = popen(
            "psql -X -q -h '\(fixture.server.folder)' -U tester \(fixture.database) >/dev/null 2>&1",
            "we")
        fputs(
            """
            UPDATE gamed_shard SET owner = 'stalled', epoch = epoch + 1, backend = pg_backend_pid(),
                backend_start = (SELECT a.backend_start FROM pg_stat_get_activity(pg_backend_pid()) a),
                lease_until = clock_timestamp();
            BEGIN;
            SELECT id FROM gamed_shard WHERE id = 0 AND epoch = 1 FOR SHARE;

            """, pipe)
        fflush(pipe)
        while !isHolding {}
    }

    deinit { pclose(pipe) }

    /// Whether its transaction is open, and so holds the lock.
    var isHolding: Bool {
        fixture.server.sql(
            """
            SELECT count(*) FROM pg_stat_activity WHERE datname = '\(fixture.database)'
                AND state = 'idle in transaction'
            """) == "1"
    }
}
