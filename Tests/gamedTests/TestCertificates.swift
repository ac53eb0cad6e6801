import Glibc
import TestSupport
import Testing

/// The certificates and keys of the TLS tests. Scripts in `Clients` make them with openssl. All tests of a run share them,
/// because making them takes longer than most tests.
struct TestCertificates {
    /// The contents of the files, by name.
    private let files: [String: String]

    /// For connections of clients: the certificates of the authorities, of the server and of the clients.
    static let ofClients = TestCertificates(script: "certificates")
    /// For connections between nodes: the certificates of the authorities and of the nodes.
    static let ofNodes = TestCertificates(script: "node-certificates")

    private init(script: String) {
        let folder = Folder()
        let output = ShellCommand.run(
            "Tests/gamedTests/Clients/\(script) '\(folder.path)'; cd '\(folder.path)'; ls *.pem *.key"
        )
        let names = output.split(separator: "\n").map(String.init)
        files = Dictionary(uniqueKeysWithValues: names.map { ($0, folder.text($0)) })
    }

    /// Writes the files into a folder. Only their owner can read the keys.
    func write(to folder: Folder) {
        #expect(!files.isEmpty && !files.values.contains(""), "\(files.keys)")
        for (name, text) in files {
            folder.write(name, text, mode: name.hasSuffix(".key") ? 0o600 : nil)
        }
    }
}
