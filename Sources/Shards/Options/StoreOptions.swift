package import Parts
package import PostgresStore
import Shell
import Support
import Timers

/// The settings of the journal: where it is, and what it keeps.
package struct StoreOptions: OptionSection {
    /// The directory of the journal; nil if there is no journal, or if the journal is in `database`.
    package var stateDirectory: String? {
        get { database == nil ? directory : nil }
        set { directory = newValue }
    }
    /// The value of `stateDirectory` if there is no database. By default the directory that systemd gives in $STATE_DIRECTORY.
    private var directory = ServiceDirectory.state
    /// Whether `stateDirectory` is what the unit of the service names. A check assumes it, because only the service has
    /// $STATE_DIRECTORY.
    package private(set) var isDirectoryAssumed = false
    /// Whether `--state-dir` or `--store` names the state directory.
    var namesDirectory = false
    /// The URL of the PostgreSQL database that contains the journal; nil without one.
    package var database: String?
    /// The file with the password for the database.
    var passwordFile: String?
    /// Whether to create the database's tables and then exit.
    package var preparesDatabase = false
    /// Whether to use a database that may lose acknowledged changes.
    package var acceptsWeakStore = false
    /// The folder to which the journal is copied continuously; nil if it is not.
    package var archive: String?
    package var retention = Retention.limited(.seconds(30 * 86_400))
    /// Whether refused events are written to the journal.
    package var auditsRefusals = false
    /// Whether to start although rows are missing from the journal.
    package var acceptsLoss = false

    package init() {}

    /// Assumes that the journal is in a directory, if nothing else says where it is.
    package mutating func assumeDirectory(_ path: String) {
        guard directory == nil, database == nil else { return }
        (directory, isDirectoryAssumed) = (path, true)
    }

    /// `retention` as text.
    var retentionText: String {
        switch retention {
        case .forever: "forever"
        case .limited(let time): DurationText.write(time)
        }
    }

    /// A note that rows are kept for so short a time that operators may miss them; nil otherwise.
    package var retentionNote: String? {
        guard case .limited(let time) = retention, time < Self.shortRetention,
            stateDirectory != nil || database != nil
        else { return nil }
        return
            "--keep \(DurationText.write(time)): history, replay and statistics lose every game that ended "
            + "longer ago; old rows go each hour"
    }
    /// The time below which `retentionNote` warns of `--keep`.
    private static let shortRetention = Duration.seconds(86_400)

    /// The parsed URL of `database`, with the password. Throws a `StartupError`, whose sentence the daemon logs before
    /// it exits, if the URL or the password file cannot be used.
    package var databaseLocation: PostgresLocation? {
        get throws {
            try database.map { url in
                do throws(PostgresLocation.LocationError) {
                    return try PostgresLocation(url, passwordFile: passwordFile)
                } catch { throw StartupError(why: "the store: \(error.why)") }
            }
        }
    }

    package static let table: [Option] = [
        Option(
            "state-dir", value: "DIR",
            defaultValue: "the first directory in $STATE_DIRECTORY, else no journal",
            "Store sessions in this directory; acknowledged changes survive kill -9 and a power cut.",
            details: """
                gamed creates the directory, but not its parent directories; see [Stored data].
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                options.store.stateDirectory = try OptionValue.path(value)
                options.store.namesDirectory = true
            }),
        Option(
            "store", value: "URL|DIR",
            "Store sessions in this PostgreSQL database, or in this directory.",
            details: """
                A URL has the form `postgresql://gamed@db1/rooms`, without a password. `DIR` is the same as
                `--state-dir DIR`. Several daemons can share one database: each owns a part of the sessions and accepts
                requests for all of them; see many-machines.md. With a URL, gamed does not use $STATE_DIRECTORY.
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                guard PostgresLocation.isURL(value) else {
                    options.store.stateDirectory = try OptionValue.path(value)
                    options.store.namesDirectory = true
                    return
                }
                do throws(PostgresLocation.LocationError) { _ = try PostgresLocation(value) } catch
                {
                    throw UsageError(error.why)
                }
                options.store.database = value
            }),
        Option(
            "store-password-file", value: "FILE",
            "Read the database's password from the first line of this file.",
            details: """
                Only the owner may be able to read the file. Without this option, the password comes from `$PGPASSFILE`
                or `~/.pgpass`.
                """,
            reader: .file(\.store.passwordFile)),
        Option(
            "prepare", "Create or upgrade the database's tables, and exit.",
            details: """
                The exit status is 0. If the database role lacks the rights, gamed prints the SQL and exits with status 1.
                """,
            reader: .flag { $0.store.preparesDatabase = true }),
        Option(
            "accept-weak-store", "Use a database that may lose acknowledged changes.",
            details: """
                Without this option, gamed requires that fsync and full_page_writes are `on`, and that synchronous_commit is
                `on` or `remote_apply`; if the URL names several servers, gamed also requires a synchronous standby. A daemon that
                runs goes on with such a database, and warns in the log and with an alert.
                """,
            reader: .flag { $0.store.acceptsWeakStore = true },
            reload: { $0.store.acceptsWeakStore = $1.store.acceptsWeakStore }),
        Option(
            "archive", value: "DIR",
            "Copy each change to this folder within seconds, so that a lost disk loses no more.",
            details: """
                Requires `--state-dir`, and a folder on another disk. gamed creates the folder, but not its parent directories. A
                folder that cannot be written delays nothing: there is an alert, and the missing rows follow. After the loss of
                the disk, `gamectl restore DIR STATE-DIR` makes a state directory of it. gamed removes old rows as from the
                journal. A database is copied by its own means.
                """,
            reader: .location(after: [""]) { options, value, _ throws(UsageError) in
                options.store.archive = try OptionValue.path(value)
            }),
        Option(
            "keep", value: "D", defaultValue: "30d",
            "Keep rows that no session needs for this long, or `forever`.",
            details: """
                D is a duration such as `12h` or `30d`. Requires `--state-dir` or `--store`. Rows that a session needs are
                never removed. Old rows are removed one second after the start and then each hour. If the clock is ahead of
                the end of the last run by more than D and by more than a day, no row is removed until `gamectl journal
                prune --yes` is run.
                """,
            reader: .value { options, value, _ throws(UsageError) in
                if value == "forever" {
                    options.store.retention = .forever
                    return
                }
                guard let time = DurationText.read(value) else {
                    throw UsageError("expected a duration such as 30d, or forever")
                }
                options.store.retention = .limited(time)
            }),
        Option(
            "audit", value: "refusals", "Record refused events in the journal.",
            details: """
                Requires `--state-dir` or `--store`. gamed writes at most 1 KiB of each event's arguments, and at most 16 KiB
                per second for each sender.
                """,
            reader: .choice { options, _ in options.store.auditsRefusals = true }),
        Option(
            "accept-loss", "Start although the journal has lost rows.",
            details: "Without this option gamed exits with an error, so that the loss is noticed.",
            reader: .flag { $0.store.acceptsLoss = true }),
    ]

    package func contradictions(in options: Options) -> [Contradiction] {
        var found: [Contradiction] = []
        if let archive {
            let paths = [archive, stateDirectory].compactMap { $0 }.map {
                FilePath.resolved($0) ?? $0
            }
            if paths.count < 2 {
                found.append(
                    Contradiction(
                        "archive", and: ["state-dir", "store"], "--archive requires --state-dir",
                        lacksStateDirectory: database == nil))
            } else if paths[0].hasSameBytes(as: paths[1]) {
                found.append(
                    Contradiction(
                        "archive", and: ["state-dir", "store"],
                        "--archive is the state directory itself"))
            }
        }
        if database != nil {
            if namesDirectory {
                found.append(
                    Contradiction(
                        "store", and: ["state-dir"], "--store with a URL excludes --state-dir"))
            }
            if options.sessions.isVirtual {
                found.append(
                    Contradiction(
                        "store", and: ["clock"], "--store with a URL excludes --clock virtual"))
            }
            return found
        }
        for (isGiven, option) in [
            (passwordFile != nil, "store-password-file"), (preparesDatabase, "prepare"),
            (acceptsWeakStore, "accept-weak-store"),
        ] where isGiven {
            found.append(
                Contradiction(
                    option, and: ["store"], "--\(option) requires --store with a URL"))
        }
        guard stateDirectory == nil else { return found }
        for (isGiven, option) in [
            (retention != StoreOptions().retention, "keep"), (auditsRefusals, "audit"),
            (acceptsLoss, "accept-loss"),
        ] where isGiven {
            found.append(
                Contradiction(
                    option, and: ["state-dir", "store"],
                    "--\(option) requires --state-dir or --store", lacksStateDirectory: true))
        }
        return found
    }
}

extension Options {
    package var store: StoreOptions {
        get { self[StoreOptions.self] }
        _modify { yield &self[StoreOptions.self] }
    }
}
