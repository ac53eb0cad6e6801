import TestSupport
import Testing

/// Files that the service manager passes as credentials.
@Suite struct CredentialTests {
    private let folder = Folder()

    private func configuration(_ secret: String) -> String {
        folder.write(
            "gamed.conf", "on enter=help http=https://h.example/x secret-file=\(secret)\nno-main\n")
    }

    private func gamed(_ words: String, credentials: String?) -> String {
        let variable =
            credentials.map { "CREDENTIALS_DIRECTORY='\($0)'" } ?? "-u CREDENTIALS_DIRECTORY"
        return ShellCommand.run("env \(variable) gamed \(words); echo $?")
    }

    /// A webhook's secret: a prefix and 24 bytes in Base64.
    private let secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz\n"

    @Test func `credential NAME stands for a file of the service, whose mode is not checked`() {
        _ = ShellCommand.run("mkdir '\(folder.path)/credentials'")
        folder.write("credentials/hook", secret, mode: 0o440)
        let path = configuration("credential:hook")
        let directory = "\(folder.path)/credentials"
        #expect(gamed("--check --config \(path)", credentials: directory) == "0\n")
        // The path of the file is also recognized.
        let direct = configuration("\(directory)/hook")
        #expect(gamed("--check --config \(direct)", credentials: directory) == "0\n")
        #expect(gamed("--check --config \(direct)", credentials: nil).contains("chmod 600 it"))
        let missing = configuration("credential:other")
        #expect(
            gamed("--check --config \(missing)", credentials: directory).contains(
                "\(directory)/other: No such file or directory"))
    }

    @Test func `without credentials --check notes them, and a start is refused with what to do`() {
        let path = configuration("credential:hook")
        let check = gamed("--check --config \(path)", credentials: nil)
        #expect(check.contains("note: credential:hook: only the service has it"), "\(check)")
        #expect(check.hasSuffix("\n0\n"))
        let start = gamed("--config \(path)", credentials: nil)
        #expect(start.contains("LoadCredential=NAME:FILE") && start.hasSuffix("2\n"), "\(start)")
    }

    @Test func `certificates can be credentials, too`() {
        TestCertificates.ofClients.write(to: folder)
        let path = folder.write(
            "tls.conf",
            "http 127.0.0.1:0\ntls-cert credential:server.pem\ntls-key credential:server.key\n")
        #expect(gamed("--check --config \(path)", credentials: folder.path).hasSuffix("0\n"))
        #expect(gamed("--check --config \(path)", credentials: nil).hasSuffix("\n0\n"))
    }
}
