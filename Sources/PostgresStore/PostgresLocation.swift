internal import CPostgreSQL
internal import Shell
public import Support

/// Where a PostgreSQL database is, and how to log in: a URL without a password, and optionally a file with the password.
public struct PostgresLocation: Equatable, Sendable {
    public let url: String
    /// The first line of this file is the password; nil to use libpq's own files.
    public let passwordFile: String?
    /// Whether the URL names more than one server, so that a failover is possible.
    let namesSeveralHosts: Bool

    /// The reason why a location cannot be used. It never contains the URL or a password.
    public struct LocationError: DescribedError, Equatable, Sendable {
        public let why: String
    }

    /// Whether a text is meant as a PostgreSQL URL rather than as a path.
    public static func isURL(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Checks a URL. Loads libpq, so that its other functions can be called. Wraps `PQconninfoParse`, whose own messages are not shown, because they may
    /// repeat a password.
    public init(_ url: String, passwordFile: String? = nil) throws(LocationError) {
        if let reason = postgres_load() {
            throw LocationError(
                why: "\(String(cString: reason)); install libpq (Debian package libpq5)")
        }
        guard let options = PQconninfoParse(url, nil) else {
            throw LocationError(why: "expected a URL such as postgresql://USER@HOST/DATABASE")
        }
        defer { PQconninfoFree(options) }
        var option = options
        var hosts = ""
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            if ["host", "hostaddr"].contains(name), let value = option.pointee.val {
                hosts += String(cString: value)
            }
            if option.pointee.val != nil, ["password", "sslpassword"].contains(name) {
                throw LocationError(
                    why: "a password in a URL can be read in the process list; "
                        + "use --store-password-file, PGPASSFILE or ~/.pgpass")
            }
            option += 1
        }
        (self.url, self.passwordFile) = (url, passwordFile)
        namesSeveralHosts = hosts.contains(",")
    }

    /// The keywords and values for `PQconnectdbParams`. Reads the password file.
    func parameters() throws(LocationError) -> [(String, String)] {
        var parameters = [
            // If two values of this list have the same keyword, libpq uses the later value. The URL (`dbname`) can therefore
            // replace the values before it, but not the values after it. Times are in seconds; only `tcp_user_timeout` is in
            // milliseconds.
            ("connect_timeout", "2"), ("tcp_user_timeout", "5000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "2"), ("dbname", url),
            ("client_encoding", "UTF8"), ("application_name", "gamed"),
        ]
        if let password = try password() { parameters.append(("password", password)) }
        return parameters
    }

    /// The password in the file; nil without a file.
    private func password() throws(LocationError) -> String? {
        guard let passwordFile else { return nil }
        do throws(SecretFileError) {
            return String(decoding: try SecretFile.read(passwordFile), as: UTF8.self)
        } catch { throw LocationError(why: error.why) }
    }
}
