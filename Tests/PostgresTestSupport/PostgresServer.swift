private import Glibc

/// A PostgreSQL server of a test's own, from Debian's package, on a UNIX socket in a temporary
/// folder. It ends with the process of the test, even if the process is killed.
package final class PostgresServer: Sendable {
    package let folder: String
    /// A pipe to a shell, as the address of its `FILE`. The pipe is closed when the test's process ends; the shell then ends
    /// the server and removes the folder.
    private let watcherPipe: UInt
    private let options: String

    /// A server that several tests use at the same time, each with databases of its own. None of
    /// them may stop it.
    package static let shared = PostgresServer()

    /// Why tests with a server cannot run; nil if they can.
    package static let absence: String? =
        programs == nil ? "PostgreSQL is not installed; run `Scripts/setup test`" : nil

    /// Where the server's programs are.
    private static let programs: String? = (13...20).reversed()
        .map { "/usr/lib/postgresql/\($0)/bin" }
        .first { access("\($0)/initdb", X_OK) == 0 }

    /// The beginning of a command that runs a program as `nobody`, because PostgreSQL refuses to run as root. Empty if the test
    /// does not run as root.
    private static let asNobody =
        getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""

    /// Makes the server's files and starts the server. `settings` are in the form `name=value`.
    package init(_ settings: [String] = []) {
        var template = Array("/tmp/gamed-pg-XXXXXX".utf8CString)
        folder = template.withUnsafeMutableBufferPointer {
            String(cString: mkdtemp($0.baseAddress!))
        }
        if getuid() == 0, let nobody = getpwnam("nobody")?.pointee {
            chown(folder, nobody.pw_uid, nobody.pw_gid)
        }
        let programs = Self.programs ?? ""
        let endCommand =
            "read line; \(Self.asNobody) '\(programs)/pg_ctl' -D '\(folder)/data' -m immediate stop; "
            + "rm -rf '\(folder)'"
        watcherPipe = UInt(bitPattern: popen("cd /; (\(endCommand)) >/dev/null 2>&1", "we"))
        options =
            (["listen_addresses=", "unix_socket_directories=\(folder)", "max_connections=60"]
            + settings).map { "-c \($0)" }.joined(separator: " ")
        run("initdb --no-sync -U tester -A trust -E UTF8 --locale=C -D '\(folder)/data'")
        start()
    }

    /// Runs one of PostgreSQL's programs as the server's user. Returns what it printed.
    @discardableResult
    package func run(_ command: String) -> String {
        Self.shell("cd /; exec \(Self.asNobody) '\(Self.programs ?? "")'/\(command)")
    }

    /// Runs a command. Returns what it printed.
    package static func shell(_ command: String) -> String {
        guard let pipe = popen("exec 2>&1 </dev/null; \(command)", "re") else { return "" }
        defer { pclose(pipe) }
        var text = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Makes an empty database, and returns its name. `options` are options of the statement CREATE DATABASE. Waits if the
    /// server is recovering from a crash.
    package func makeDatabase(_ options: String = "") -> String {
        var attempts = 0
        while sql("SELECT 1") != "1", attempts < 1000 { attempts += 1 }
        let name = "test_\(UInt64.random(in: 0 ... .max))"
        sql("CREATE DATABASE \(name) \(options)")
        return name
    }

    /// The URL of a database. `options` are further parameters of the URL, such as `&name=value`.
    package func url(_ database: String, user: String = "tester", options: String = "") -> String {
        "postgresql://\(user)@/\(database)?host=\(folder)\(options)"
    }

    /// Executes SQL as the superuser. Returns its result, a line for each row.
    @discardableResult
    package func sql(_ text: String, in database: String = "postgres") -> String {
        let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''")
        let output = run("psql -X -q -A -t -h '\(folder)' -U tester -c '\(quoted)' \(database)")
        return String(
            output.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Kills the processes of the server that serve gamed's connections to a database. The server then ends all its connections
    /// and recovers; this function returns when it has.
    package func killConnections(to database: String) {
        let checkpointer = checkpointer
        let pids = sql(
            "SELECT pid FROM pg_stat_activity WHERE datname = '\(database)' AND application_name = 'gamed'"
        ).split(separator: "\n")
        for pid in pids { _ = Self.shell("kill -KILL \(pid)") }
        guard !pids.isEmpty else { return }
        // The server notices the end of a process a moment later. The next test must not meet the recovery.
        var attempts = 0
        while self.checkpointer == nil || self.checkpointer == checkpointer, attempts < 1000 {
            attempts += 1
        }
    }

    /// The number of a process that the server starts again after a recovery; nil while it recovers.
    private var checkpointer: Int? {
        Int(sql("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"))
    }

    /// The command that ends the server at once, as a crash would, and starts it again.
    package var crashCommand: String {
        "cd /; \(Self.asNobody) '\(Self.programs ?? "")'/pg_ctl -w -D '\(folder)/data' -l '\(folder)/log' "
            + "-m immediate restart"
    }

    /// Starts a command, and does not wait for its end.
    package static func background(_ command: String) {
        _ = shell("(\(command)) >/dev/null 2>&1 &")
    }

    /// Sets a setting of the server back to its default.
    package func reset(_ setting: String) {
        sql("ALTER SYSTEM RESET \(setting)")
        sql("SELECT pg_reload_conf()")
    }

    /// Lets the server demand the password of a role from now on.
    package func requirePassword(of role: String) {
        let file = "\(folder)/data/pg_hba.conf"
        _ = Self.shell("sed -i '1i local all \(role) scram-sha-256' '\(file)'")
        _ = Self.shell("\(Self.asNobody.isEmpty ? ":" : "chown nobody '\(file)'")")
        sql("SELECT pg_reload_conf()")
    }

    package func stop() { run("pg_ctl -w -D '\(folder)/data' -m immediate stop") }
    package func start() {
        run("pg_ctl -w -D '\(folder)/data' -l '\(folder)/log' -o \"\(options)\" start")
    }

    /// The server's messages.
    package var log: String { Self.shell("cat '\(folder)/log'") }
}
