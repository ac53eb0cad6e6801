import PostgresStore
import Testing

@Suite struct PostgresErrorTests {
    @Test func `a text of libpq is one line without tabs`() {
        let text = """
            connection to server on socket "/tmp/.s.PGSQL.5432" failed: No such file or directory
            \tIs the server running \tlocally and accepting connections on that socket?

            """
        let line =
            #"connection to server on socket "/tmp/.s.PGSQL.5432" failed: No such file or directory; "#
            + "Is the server running locally and accepting connections on that socket?"
        #expect(PostgresError.line(text) == line)
    }
}
