import Glibc
import TestSupport
import Testing

/// The rights of users at the UNIX socket. The daemon identifies a user by the credentials of the connected process. The tests
/// act as several users, which needs root.
@Suite(.enabled(if: geteuid() == 0, "only root can act as other users"))
struct UserRightsTests {
    private let folder = Folder()

    /// The answer to a request of a user whose primary group is 4242. `groups` is an option of setpriv(1) for the supplementary
    /// groups.
    private func ask(
        _ line: String, _ daemon: DaemonProcess, user: Int = 4242, groups: String = "--clear-groups"
    )
        -> String
    {
        ShellCommand.run(
            "chmod 0666 $S; echo '\(line)' | setpriv --reuid=\(user) --regid=4242 \(groups) nc -N -U $S",
            daemon)
    }

    private func startDaemon(_ rules: String) throws -> DaemonProcess {
        try DaemonProcess(["--config", folder.write("gamed.conf", rules)])
    }

    @Test func `without rules every peer of the socket may operate`() throws {
        #expect(ask("goto help", try startDaemon("")).hasPrefix("OK"))
    }

    @Test func `if there are rules, users without a rule may play, and root may operate`() throws {
        let daemon = try startDaemon("allow source:web observe\n")
        #expect(ask("send displayHelp", daemon).hasPrefix("OK"))
        #expect(
            ask("goto help", daemon)
                == "ERR forbidden {\"method\":\"goto\",\"source\":\"unix\",\"needs\":\"operate\"}\n"
        )
        #expect(ask("goto introduction", daemon, user: 0).hasPrefix("OK"))
        #expect(
            !ask("history", daemon).contains(#""uid""#),
            "a user who may only play sees other users' identities")
        let history = ask("history limit=2", daemon, user: 0)
        #expect(history.contains(#""uid":4242,"gid":4242}},"error":{"code":4"#))
    }

    @Test func `a user is identified by the uid`() throws {
        let daemon = try startDaemon("allow uid:4242 operate\n")
        #expect(ask("goto help", daemon).hasPrefix("OK"))
        #expect(ask("goto introduction", daemon, user: 4243).hasPrefix("ERR forbidden"))
    }

    @Test func `a user is identified by all groups, also by supplementary groups`() throws {
        let daemon = try startDaemon("allow group:777 operate\n")
        #expect(ask("goto help", daemon).hasPrefix("ERR forbidden"))
        #expect(ask("goto help", daemon, groups: "--groups=5,777,9").hasPrefix("OK"))
        let daemonForOwnGroup = try startDaemon("allow group:4242 operate\n")
        #expect(ask("goto help", daemonForOwnGroup).hasPrefix("OK"))
    }

    @Test func `a token at the UNIX socket adds its rights to the user's`() throws {
        let daemon = try startDaemon("allow token:desk operate\n")
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
            .filter(\.isHexDigit)
        let output = ShellCommand.run(
            "chmod 0666 $S; printf 'goto help\\nauth \(token)\\ngoto help\\n' | "
                + "setpriv --reuid=4242 --regid=4242 --clear-groups nc -N -U $S | cut -c1-13",
            daemon)
        #expect(output == "ERR forbidden\nOK {\"role\":\"o\nOK {\"session\"\n")
    }
}
