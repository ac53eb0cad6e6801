import Connections
import GameFlow
import Glibc
import Inputs
import Net
import ShippedFlows
import Support
import TestSupport
import Testing

@testable import Access
@testable import BluetoothPart
@testable import GamedServer
@testable import Parts
@testable import Room
@testable import Shards

/// Relative paths in a configuration begin at the folder of the file.
@Suite struct ConfigurationPathTests {
    private let folder = Folder()

    private func read(_ text: String, _ words: [String] = []) throws -> Options {
        let file = folder.write("gamed.conf", text)
        guard
            case .run(let options) = try Options.read(
                ["--config", file] + words, flows: AnyFlow.shipped())
        else { throw ConfigurationError(path: "", line: 0, column: 0, why: "") }
        return options
    }

    @Test func `every kind of path begins at the folder of the file`() throws {
        folder.write("pw", "secret\n", mode: 0o600)
        folder.write("hook", "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n", mode: 0o600)
        let options = try read(
            """
            socket run/s
            state-dir state
            archive ../second
            tokens tokens
            media pictures
            http unix:run/web
            tls-cert cert.pem
            tls-key ../key.pem
            tls-client-ca ./ca.pem
            bluetooth sim:hall.radio
            btsnoop packets
            mqtt hall mqtt://127.0.0.1 user=a password-file=pw
            serial door ./tty
            evdev hand dev/keys
            on enter=help run=bin/scene
            on enter=help http=http://example.org/ secret-file=hook

            """)
        let path = folder.path
        #expect(options.network.socket == "\(path)/run/s")
        #expect(options.store.stateDirectory == "\(path)/state")
        #expect(options.store.archive == "\(path)/../second")
        #expect(options.access.tokens == "\(path)/tokens")
        #expect(options.web.media == "\(path)/pictures")
        #expect(options.web.addresses == [.unix("\(path)/run/web")])
        #expect(options.network.tls.certificate == "\(path)/cert.pem")
        #expect(options.network.tls.key == "\(path)/../key.pem")
        #expect(options.network.tls.authority == "\(path)/./ca.pem")
        #expect(options.bluetooth.controller == .simulated("\(path)/hall.radio"))
        #expect(options.bluetooth.btsnoop == "\(path)/packets")
        #expect(options.room.connections[0].broker?.login.password == Array("secret".utf8))
        let endpoints = options.room.connections.dropFirst().map(\.endpoint)
        #expect(endpoints[0].isEqual(to: SerialEndpoint(path: "\(path)/./tty", baud: 9600)))
        #expect(
            endpoints[1].isEqual(
                to: EvdevEndpoint(device: .path("\(path)/dev/keys"), isGrabbed: false)))
        let targets = options.room.outputLines.map(\.target)
        #expect(targets[0].isEqual(to: ProgramOutput(path: "\(path)/bin/scene")))
        #expect((targets[1] as? WebOutput)?.secrets.count == 1)
        // The text of a line names its outputs in the journal: it does not change with the folder.
        #expect(options.room.outputLines[0].text == "on enter=help run=bin/scene".dropFirst(3))
        #expect(options.pathNotes.isEmpty)
        #expect(
            options.namedFiles.contains("\(path)/pw") && options.namedFiles.contains("\(path)/hook")
        )
    }

    @Test func `paths on the command line, URLs and credentials stay as they are`() throws {
        let options = try read(
            "store postgresql://a@db/rooms\nmedia other\n", ["--media", "pictures"])
        #expect(options.web.media == "pictures")
        #expect(options.store.database == "postgresql://a@db/rooms")
        let file = ConfigurationFile("/etc/gamed/gamed.conf", text: [])
        #expect(file.resolvedPath("credential:pw") == "credential:pw")
        #expect(file.resolvedPath("pw") == "/etc/gamed/pw")
    }

    @Test func `what is only in the working directory is used, with a warning`() {
        let room = Folder()
        let path = room.write("gamed.conf", "media pictures\ntokens tokens\n")
        func check() -> String {
            ShellCommand.run("cd '\(folder.path)' && gamed --check --config \(path); echo $?")
        }
        _ = ShellCommand.run("mkdir '\(folder.path)/pictures'")
        let output = check()
        #expect(
            output.contains(
                "note: \(path):1:7: media: pictures is not in the folder of this file, where a relative path begins; "
                    + "\(folder.path)/pictures is used"), "\(output)")
        #expect(!output.contains("tokens:") && output.hasSuffix("\n0\n"), "\(output)")
        _ = ShellCommand.run("mkdir '\(room.path)/pictures'")
        #expect(!check().contains("pictures"))
    }

    @Test func `the folder of a room can be moved, and runs from any working directory`() throws {
        let folder = Folder()
        _ = ShellCommand.run(
            "mkdir -p '\(folder.path)/a/pictures' && printf '#!/bin/sh\npwd >ran\n' >'\(folder.path)/a/scene' && "
                + "chmod +x '\(folder.path)/a/scene'")
        folder.write(
            "a/gamed.conf", "state-dir state\nmedia pictures\non enter=question run=./scene\n")
        for name in ["a", "b"] {
            if name == "b" { _ = ShellCommand.run("mv '\(folder.path)/a' '\(folder.path)/b'") }
            // The path of the file is relative, too.
            let daemon = try DaemonProcess(
                ["--config", "\(name)/gamed.conf", "--flow", "quiz"],
                by: ["/usr/bin/env", "-C", folder.path])
            let client = try Client(daemon.socket)
            #expect(
                daemon.output.contains(
                    name == "a" ? "a new journal was created in a/state" : "; journal in b/state"))
            if name == "b" { #expect(client.ask("send abandon").hasPrefix("OK")) }
            #expect(client.ask("send start rounds=1").hasPrefix("OK"))
            #expect(client.ask("outputs", until: #""delivered":1"#).contains(#""delivered":1"#))
            #expect(folder.text("\(name)/ran").hasSuffix("/\(name)\n"))
            daemon.signal(SIGTERM)
            daemon.waitForEnd()
        }
    }
}
