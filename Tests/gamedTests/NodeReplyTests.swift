import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Long replies of another node, and owners that are taken for dead.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeReplyTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    /// The sessions that the other node owns.
    private func far(_ names: [String], from node: DaemonProcess) throws -> [String] {
        let client = try Client(node.socket)
        let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"redirects":true}}"#
        #expect(client.ask(hello).contains("result"))
        return names.filter { client.ask("status @\($0)").hasPrefix("ERR elsewhere") }
    }

    @Test func `a page of history of more than a frame of a request comes from another node`()
        throws
    {
        let flows = cluster.folder.path + "/flows"
        mkdir(flows, 0o700)
        cluster.folder.write(
            "flows/big.yaml",
            """
            flow: big
            start: a
            events: {put: {t: text}}
            states: {a: {data: {t: text = ''}, on: {put: {with: {t: =t}}}}}
            """)
        let lines = "flows \(flows)\n"
        let a = try cluster.startNode("a", lines)
        let b = try cluster.startNode("b", lines)
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        let names = (1...8).map { "s\($0)" }
        for name in names { #expect(client.ask("open @\(name) flow=big").hasPrefix("OK")) }
        let session = try #require(try far(names, from: a).first)
        let text = String(repeating: "é", count: 990)
        for number in 0..<400 {
            #expect(client.ask("send @\(session) put t=\(number)\(text)").hasPrefix("OK"))
        }
        let page = client.ask("history @\(session) limit=1000")
        #expect(page.hasPrefix("OK") && page.utf8.count > 600_000, "\(page.utf8.count)")
        #expect(page == (try Client(b.socket).ask("history @\(session) limit=1000")))
        withExtendedLifetime((a, b)) {}
    }
}
