import GameFlow
import Inputs
import Outputs
import ShippedFlows
import Support
import TestSupport
import Testing

@testable import Cluster
@testable import GamedServer
@testable import Parts
@testable import Room

/// `on` lines of nodes that share a database: each node reads the lines of all nodes.
@Suite struct SharedLineTests {
    private let folder = Folder()

    private func read(_ text: String, node: String) throws(Options.OptionsError) -> Options {
        let file = folder.write("gamed.conf", text)
        let command = try Options.read(
            ["--config", file, "--store", "postgresql://me@db/rooms", "--node", node],
            flows: AnyFlow.shipped())
        guard case .run(let options) = command else {
            fatalError("the options do not start a daemon")
        }
        return options
    }

    private static let lines = """
        serial door /dev/ttyS0 node=a
        serial lamp /dev/ttyS1 node=b
        serial all /dev/ttyS2
        on enter=* serial=door line=1
        on enter=* serial=lamp line=2
        on enter=* serial=all line=3
        on enter=* run=/bin/true node=b
        on enter=* run=/bin/true node=a
        on enter=* http=http://example.org/hook

        """

    @Test func `every node has the same lines, and knows which node sends each output`() throws {
        let (a, b) = (try read(Self.lines, node: "a"), try read(Self.lines, node: "b"))
        #expect(a.room.onLines == b.room.onLines && a.room.outputLines.count == 6)
        let sendersAtA = a.room.outputLines.map { OutputNodes(a).sender(of: $0) }
        #expect(sendersAtA == [.this, .other(name: "b"), .this, .other(name: "b"), .this, .this])
        let sendersAtB = b.room.outputLines.map { OutputNodes(b).sender(of: $0) }
        #expect(sendersAtB == [.other(name: "a"), .this, .this, .this, .other(name: "a"), .this])
        #expect(Set(a.room.outputLines.map(\.fingerprint)).count == 6)
    }

    @Test func `a connection named http or run does not decide which node sends a request`() throws
    {
        let options = try read(
            """
            serial http /dev/ttyS0 node=b
            serial run /dev/ttyS1 node=b
            on enter=* run=/bin/true
            on enter=* http=http://example.org/hook

            """, node: "a")
        let senders = options.room.outputLines.map { OutputNodes(options).sender(of: $0) }
        #expect(senders == [.this, .this])
    }

    @Test func `a line cannot use a connection that its node does not have`() {
        do throws(Options.OptionsError) {
            _ = try read(
                "serial door /dev/ttyS0 node=a\non enter=* serial=door line=1 node=b\n", node: "a")
            Issue.record("the line was accepted")
        } catch {
            #expect(error.why.contains("no line `serial door …` defines it"), "\(error.why)")
        }
    }

    @Test(arguments: [
        ("on enter=* http=http://example.org/hook node=a\n", "must not have node="),
        ("on enter=* http=http://h/ header=\"Host: a\"\n", "header: gamed sets Host itself"),
        ("on enter=* http=http://h/ header=\"webhook-ID: a\"\n", "gamed sets webhook-ID itself"),
        ("on enter=* http=http://h/ header=\"X-A: a\" header=\"x-a: b\"\n", "x-a is given twice"),
        ("on enter=* http=http://h/ header=X-A\n", "header: expected \"NAME: VALUE\""),
    ])
    func `a web line with a node, or with a header that cannot be sent, is refused`(
        _ text: String, _ why: String
    ) {
        do throws(Options.OptionsError) {
            _ = try read(text, node: "a")
            Issue.record("the line was accepted: \(text)")
        } catch { #expect(error.why.contains(why), "\(error.why)") }
    }

    private func relayed(_ content: any OutputContent, line: UInt64 = 1) throws -> RelayedOutput {
        try #require(
            RelayedOutput(OutputAttempt(content, line: line, node: .this, timeout: .seconds(1))))
    }

    @Test func `an output reaches another node unchanged`() throws {
        let numericArguments: [OSCArgument] = [.int(-1), .float(0.5), .long(.min), .double(-0.1)]
        let otherArguments: [OSCArgument] = [
            .text("x"), .truth(true), .null, .impulse, .blob([0, 255]),
        ]
        let contents: [any RelayableContent] = [
            MQTTContent(
                message: MQTTMessage(topic: "a/b", payload: Array("ü\n".utf8)), connection: "m"),
            SerialContent(text: "OPEN 1", connection: "door"),
            ProgramContent(path: "/bin/true", input: Array("{}".utf8)),
            OSCContent(
                message: OSCMessage("/a", numericArguments + otherArguments), connection: "o",
                host: "10.0.0.1", port: 9),
        ]
        for content in contents {
            let value = try relayed(content, line: .max).value
            let frame = NodeFrame.deliver(1, output: value, until: nil)
            guard case .deliver(1, let received, nil)? = NodeFrame(frame.bytes.dropLast()) else {
                Issue.record("the frame cannot be read: \(content)")
                continue
            }
            let output = try #require(RelayedOutput(received))
            #expect(output.line == .max)
            #expect("\(output.content)" == "\(content)")
        }
    }

    @Test(arguments: [
        Value.null, .object([]), .object([Member("line", "x y"), Member("serial", "door")]),
        .object([Member("line", "1"), Member("serial", "door"), Member("text", "a\nb")]),
        .object([
            Member("line", "1"), Member("mqtt", "m"), Member("topic", "#"), Member("payload", ""),
        ]),
        .object([
            Member("line", "1"), Member("osc", "o"), Member("host", "h"), Member("port", 70_000),
            Member("address", "/a"), Member("args", .array([])),
        ]),
        .object([
            Member("line", "1"), Member("osc", "o"), Member("host", "h"), Member("port", 7),
            Member("address", "/a"), Member("args", .array([.int(1)])),
        ]),
    ])
    func `a malformed output is refused`(_ value: Value) {
        #expect(RelayedOutput(value) == nil)
    }

    @Test func `a node sends another node's output only if it fits the target of a line`() throws {
        let target = try #require(try read(Self.lines, node: "a").room.outputLines.first).target
        for (content, isAccepted) in [
            (SerialContent(text: "x", connection: "door"), true),
            (SerialContent(text: "x", connection: "lamp"), false),
            (ProgramContent(path: "/bin/sh", input: []), false),
        ] as [(any OutputContent, Bool)] {
            #expect(try (relayed(content).content(for: target) != nil) == isAccepted)
        }
    }

    @Test func `a node runs the program of its own line, whose folder may be another one`() throws {
        let line = "on enter=* run=./scene node=a\n"
        let target = try #require(try read(line, node: "a").room.outputLines.first).target
        let output = try relayed(ProgramContent(path: "/srv/other/./scene", input: [1]))
        let content = try #require(output.content(for: target) as? ProgramContent)
        #expect(content.path == "\(folder.path)/./scene" && content.input == [1])
    }
}
