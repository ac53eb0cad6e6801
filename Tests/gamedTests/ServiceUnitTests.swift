import Connections
import Net
import TestSupport
import Testing

@testable import BluetoothPart
@testable import GamedServer
@testable import Parts
@testable import Room
@testable import Shards

/// What `--check` finds out about the systemd unit: its settings are read, not the names of its files.
@Suite struct ServiceUnitTests {
    private let folder = Folder()
    private let unitPath = "etc/systemd/system/gamed.service"

    /// Installs the project's unit and drop-ins with these names and texts.
    private func install(_ dropIns: [String: String] = [:]) {
        _ = ShellCommand.run(
            "mkdir -p '\(folder.path)/\(unitPath).d' && cp Service/gamed.service.in '\(folder.path)/\(unitPath)'"
        )
        for (name, text) in dropIns { folder.write("\(unitPath).d/\(name)", text) }
    }

    private func notes(_ options: Options, isRoot: Bool = false) -> [String] {
        ServiceCheck(options, root: folder.path, isRoot: isRoot)?.notes ?? []
    }

    private func options(http: [String] = [], database: String? = nil) -> Options {
        var options = Options()
        options.web.addresses = http.compactMap { Address($0) }
        options.store.database = database
        return options
    }

    private func projectDropIn(_ name: String) -> String {
        ShellCommand.run("cat Service/drop-ins/\(name).conf")
    }

    @Test func `without the unit there is nothing to report`() {
        #expect(notes(options(http: ["127.0.0.1:8080"])).isEmpty)
    }

    @Test(
        arguments: [
            ("127.0.0.1:8080", nil, "web"), ("unix:/run/a", nil, nil),
            (nil, "postgresql://gamed@db1,db2/rooms", "postgresql"),
            (nil, "postgresql:///rooms?host=/run/postgresql", nil),
            (nil, "postgresql://gamed@%2Frun%2Fpostgresql/rooms", nil),
        ] as [(String?, String?, String?)])
    func `the plain unit forbids the network, and the note names the drop-in that opens it`(
        _ http: String?, _ database: String?, _ dropIn: String?
    ) {
        install()
        let options = options(http: [http].compactMap { $0 }, database: database)
        let found = notes(options)
        #expect(found.count == (dropIn == nil ? 0 : 1), "\(found)")
        guard let dropIn else { return }
        #expect(found.first?.contains("drop-ins/\(dropIn).conf") == true, "\(found)")
        // The project's drop-in has the effect, under any name.
        install(["90-site.conf": projectDropIn(dropIn)])
        #expect(notes(options).isEmpty)
    }

    @Test func `an address that a socket unit opens needs no network`() {
        install()
        _ = ShellCommand.run(
            """
            cd '\(folder.path)/etc/systemd/system' && mkdir gamed-http.socket.d &&
                cp '\(RepositoryFile.root)/Service/drop-ins/gamed-http.socket' .
            """)
        #expect(notes(options(http: ["127.0.0.1:8080"])).isEmpty)
        let found = notes(options(http: ["127.0.0.1:8080", "127.0.0.1:8081"]))
        #expect(found.count == 1 && found[0].contains("what `http` needs"), "\(found)")
        // The unit is for another use.
        folder.write(
            "etc/systemd/system/gamed-http.socket.d/a.conf",
            "[Socket]\nFileDescriptorName=metrics\n")
        #expect(notes(options(http: ["127.0.0.1:8080"])).count == 1)
    }

    @Test func `a drop-in with the right name and the wrong content is reported`() {
        install(["web.conf": "[Service]\nPrivateNetwork=no\n"])
        #expect(notes(options(http: ["127.0.0.1:1"])).count == 1)
        // An empty assignment resets a list, and a later file adds to it.
        install([
            "a.conf": projectDropIn("web"),
            "b.conf": "[Service]\nRestrictAddressFamilies=\nRestrictAddressFamilies=AF_UNIX\n",
        ])
        #expect(notes(options(http: ["127.0.0.1:1"])).count == 1)
    }

    @Test func `the project's drop-ins allow what their lines need`() throws {
        var options = Options()
        options.room.connections = [
            ConnectionLine(
                name: "door", endpoint: SerialEndpoint(path: "/dev/ttyUSB0", baud: 9600)),
            ConnectionLine(name: "stage", endpoint: OSCEndpoint(host: "0.0.0.0", port: 9000)),
        ]
        install()
        #expect(notes(options).count == 2)
        install(["1.conf": projectDropIn("serial"), "2.conf": projectDropIn("osc")])
        #expect(notes(options).isEmpty)
    }

    @Test func `an address for other machines needs more than loopback in IPAddressAllow`() {
        install([
            "a.conf":
                "[Service]\nPrivateNetwork=no\nRestrictAddressFamilies=AF_INET\nIPAddressAllow=localhost\n"
        ])
        #expect(notes(options(http: ["127.0.0.1:1"])).isEmpty)
        let found = notes(options(http: ["0.0.0.0:1"]))
        #expect(found.first?.contains("lets only this machine connect to 0.0.0.0:1") == true)
    }

    @Test func `root learns which files the service's user cannot read`() {
        install(["web.conf": projectDropIn("web")])
        var options = Options()
        options.namedFiles = [folder.write("key.pem", "x", mode: 0o600)]
        #expect(notes(options).isEmpty)
        guard ShellCommand.run("id -u") == "0\n" else { return }
        let found = notes(options, isRoot: true)
        #expect(found.count == 1 && found[0].contains("LoadCredential="), "\(found)")
        options.namedFiles = [folder.write("cert.pem", "x", mode: 0o644)]
        #expect(notes(options, isRoot: true).isEmpty)
    }

    @Test func `a controller at a TCP port needs the network, and one at a UNIX socket does not`() {
        install()
        var options = Options()
        options.bluetooth.controller = ControllerLocation("hci:unix:/run/hall.hci")
        #expect(notes(options).isEmpty)
        options.bluetooth.controller = ControllerLocation("hci:tcp:127.0.0.1:9000")
        #expect(notes(options).first?.contains("drop-ins/bluetooth.conf") == true)
        install(["b.conf": projectDropIn("bluetooth")])
        #expect(notes(options).isEmpty)
    }

    @Test func `the configuration of an instance is judged by its unit`() {
        // gamed itself has the network, and its instances have not.
        install(["web.conf": projectDropIn("web")])
        _ = ShellCommand.run(
            """
            cd '\(folder.path)/etc/systemd/system' && mkdir 'gamed@hall.service.d' &&
                cp '\(RepositoryFile.root)/Service/gamed.service.in' 'gamed@.service'
            """)
        var options = options(http: ["127.0.0.1:8080"])
        options.configuration = "/etc/gamed/gamed.conf"
        #expect(notes(options).isEmpty)
        options.configuration = "/etc/gamed/hall.conf"
        let found = notes(options)
        #expect(found.count == 1 && found[0].contains("/gamed@hall.service.d"), "\(found)")
        // A drop-in of the instance has an effect on this instance only.
        folder.write("etc/systemd/system/gamed@hall.service.d/web.conf", projectDropIn("web"))
        #expect(notes(options).isEmpty)
        options.configuration = "/etc/gamed/stage.conf"
        #expect(notes(options).count == 1)
        // The socket of the template belongs to each instance.
        folder.write(
            "etc/systemd/system/gamed@.socket",
            "[Socket]\nFileDescriptorName=http\nListenStream=127.0.0.1:8080\n")
        #expect(notes(options).isEmpty)
    }

    @Test func `a credential that the unit does not pass is reported`() {
        var options = Options()
        options.namedFiles = ["credential:mqtt"]
        install()
        #expect(notes(options).first?.contains("LoadCredential=mqtt:FILE") == true)
        install(["c.conf": "[Service]\nLoadCredential=mqtt:/etc/gamed/mqtt.pw\n"])
        #expect(notes(options).isEmpty)
    }
}
