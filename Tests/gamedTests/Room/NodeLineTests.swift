import GameFlow
import ShippedFlows
import Support
import TestSupport
import Testing

@testable import Cluster
@testable import GamedServer
@testable import Parts
@testable import Room

/// Lines of inputs and outputs in a configuration that several nodes share.
@Suite struct NodeLineTests {
    private let folder = Folder()
    /// The name of the node that reads the files: by default the name of the host.
    private let ownNode = Options().node.name

    private func read(_ text: String) throws(Options.OptionsError) -> Options? {
        let file = folder.write("gamed.conf", text)
        let command = try Options.read(["--config", file], flows: AnyFlow.shipped())
        guard case .run(let options) = command else { return nil }
        return options
    }

    /// The errors of a configuration; none if it is valid.
    private func errors(_ text: String) -> [String] {
        do throws(Options.OptionsError) { _ = try read(text) } catch { return error.lines }
        return []
    }

    @Test func `a node uses its own lines and lines without node=, and ignores other nodes' lines`()
        throws
    {
        let options = try #require(
            try read(
                """
                serial door /dev/own node=\(ownNode)
                serial door /dev/other node=elsewhere
                osc stage listen=0.0.0.0:9000
                mqtt hall mqtt://broker node=elsewhere
                map serial=door line=A event=displayHelp node=\(ownNode)
                map mqtt=hall topic=t event=displayHelp node=elsewhere
                on enter=help serial=door line=OWN node=\(ownNode)
                on enter=help serial=door line=OTHER node=elsewhere
                on enter=help node=elsewhere send=@b displayHelp
                on enter=help node=\(ownNode) open=b

                """))
        #expect(options.room.connections.map(\.name) == ["door", "stage"])
        #expect(
            options.room.connections[0].endpoint.isEqual(
                to: SerialEndpoint(path: "/dev/own", baud: 9600)))
        #expect(options.room.inputs.map(\.connection) == ["door"])
        // The journal identifies a line by its text without the node.
        #expect(options.room.outputLines.map(\.text) == ["enter=help serial=door line=OWN"])
        #expect(options.room.links.count == 1)
    }

    @Test func `each node checks the lines of all nodes`() {
        let speedErrors = errors("serial door /dev/x node=b baud=1\n")
        #expect(
            speedErrors.count == 1 && speedErrors[0].contains("gamed.conf:1:27: baud: expected"),
            "\(speedErrors)")
        // A line cannot use a connection of another node.
        let connectionErrors = errors(
            "serial door /dev/x node=b\non enter=help serial=door line=A node=\(ownNode)\n")
        #expect(
            connectionErrors.count == 1 && connectionErrors[0].contains("gamed.conf:2:"),
            "\(connectionErrors)")
        #expect(connectionErrors.first?.contains("no line `serial door …` defines it") == true)
        let duplicateErrors = errors("serial door /dev/x\nserial door /dev/y node=b\n")
        #expect(
            duplicateErrors.count == 1 && duplicateErrors[0].contains("door is given twice"),
            "\(duplicateErrors)")
    }

    @Test func `the names of nodes and their number have limits`() {
        for (word, why) in [
            ("node=", "node: expected a name of 1 to 64 bytes without spaces"),
            ("node=\(String(repeating: "x", count: 65))", "node: expected a name of 1 to 64"),
            ("node=a node=b", "node is given twice"),
        ] {
            let foundErrors = errors("osc stage listen=0.0.0.0:9000 \(word)\n")
            #expect(foundErrors.contains { $0.contains(why) }, "\(word): \(foundErrors)")
        }
        let lines = (0..<ConfigurationFile.nodeLimit).map { "on enter=* run=/x node=n\($0)\n" }
        #expect(errors(lines.joined()) == [])
        let foundErrors = errors(lines.joined() + "on enter=* run=/x node=more\n")
        #expect(
            foundErrors.count == 1 && foundErrors[0].contains("node: at most 64 nodes"),
            "\(foundErrors)")
    }

    @Test func `--check asks for node= in lines that several nodes would use`() {
        let path = folder.write(
            "gamed.conf", "serial door /dev/null node=\(ownNode)\nosc stage listen=127.0.0.1:9000\n"
        )
        let output = ShellCommand.run("gamed --check --config \(path)")
        #expect(
            output.contains(
                "gamed.conf:2:1: osc: without node=NAME, every node that reads this file"),
            "\(output)")
        #expect(!output.contains("gamed.conf:1:1:"), "\(output)")
        let unsharedPath = folder.write("gamed.conf", "osc stage listen=127.0.0.1:9000\n")
        #expect(!ShellCommand.run("gamed --check --config \(unsharedPath)").contains("node=NAME"))
        let secret = folder.write("secret", "0123456789abcdef\n")
        let sharedPath = folder.write(
            "gamed.conf",
            """
            store postgresql://db/rooms
            listen 127.0.0.1:7001
            advertise 127.0.0.1:7001
            node-secret-file \(secret)
            mqtt hall mqtt://localhost
            map mqtt=hall topic=a event=pause
            on enter=* mqtt=hall topic=b

            """)
        let sharedOutput = ShellCommand.run("gamed --check --config \(sharedPath)")
        #expect(sharedOutput.ranges(of: "node=NAME").count == 1, "\(sharedOutput)")
        #expect(sharedOutput.contains("gamed.conf:6:1: map: without node=NAME"), "\(sharedOutput)")
    }
}
