import Cluster
import GameFlow
import RPC
import Sessions
import Testing

@testable import GamedServer

/// The frames that nodes exchange, one in each line.
@Suite struct NodeFrameTests {
    private static let grants = [
        Grant(.observe, session: Glob("room-*")),
        Grant(
            .play, session: Glob("quiz"), event: Glob("buzz"),
            boundArguments: [Member("player", "ann")],
            allowsGET: true, longestAge: .milliseconds(300)),
    ]

    @Test(arguments: [
        NodeFrame.hello(node: "a", to: "b", address: "127.0.0.1:7000", nonce: "1"),
        .challenge(nonce: "2"), .proof("p"), .ready(proof: "q"), .ready(proof: nil),
        .client(
            3, source: .object([Member("kind", "unix")]), grants: .array([]),
            needsArgumentConversion: true, needsLinkedSteps: true, resumesWatches: true),
        .line(4, #"send {"a":"b\n"}"#), .moved(5, shard: 6), .serves(5, shard: 6, pos: 7), .end(7),
        .ping,
        .deliver(8, output: .object([Member("serial", "door")]), until: nil),
        .deliver(8, output: .null, until: 1_700_000_000_000), .delivered(8, failure: nil),
        .delivered(9, failure: "down"),
    ])
    func `an encoded frame is decoded unchanged`(_ frame: NodeFrame) {
        #expect(NodeFrame(frame.bytes.dropLast()) == frame)
        #expect(frame.bytes.first == NodeFrame.mark && frame.bytes.last == 0x0A)
    }

    @Test func `rights reach another node with the arguments that they bind`() throws {
        let frame = NodeFrame.client(
            1, source: .null, grants: Rights(Self.grants).relayed, needsArgumentConversion: false)
        guard case .client(_, _, let relayed, _, _, _)? = NodeFrame(frame.bytes.dropLast()) else {
            Issue.record("the frame cannot be decoded")
            return
        }
        let rights = try #require(Rights(relayed: relayed))
        #expect(rights.grants == Self.grants)
        let quiz = try #require(SessionName("quiz"))
        #expect(rights.arguments([Member("player", "bob")], of: "buzz", to: quiz) == nil)
    }

    /// A linked step is a step that a change of one session requests from another session. A linked step can request a further
    /// linked step. A chain of linked steps may have a length of 64.
    @Test(arguments: [(0, 0), (1, 1), (64, 64), (65, 65), (Int.max, 65), (-1, 0)])
    func `the number of linked steps is relayed; above the limit of 64 it becomes 65`(
        _ steps: Int, _ relayedSteps: Int
    ) throws {
        let source = Source(.session, peer: .device("main"), linkedSteps: steps, linkedShare: 7)
        let relayed = try #require(Source(relayed: source.relayed))
        #expect(relayed == source && relayed.linkedSteps == relayedSteps)
        #expect(relayed.linkedShare == (steps > 0 ? 7 : 1000))
        #expect(relayed.hasSameRelayedValue(as: source) == (steps == relayedSteps && steps > 0))
    }

    @Test(arguments: [
        #"[["play","*"]]"#, #"[["king","*","*",{},false]]"#, #"[["play","*","*",[],false]]"#,
        #"[["play","*","*",{},1]]"#, #"{}"#, #"[1]"#,
    ])
    func `invalid rights are refused`(_ grants: String) {
        let line = Array(#"!{"client":1,"source":null,"grants":\#(grants)}"#.utf8)
        guard case .client(_, _, let relayed, _, _, _)? = NodeFrame(line) else {
            Issue.record("the frame cannot be decoded")
            return
        }
        #expect(Rights(relayed: relayed) == nil)
    }

    @Test(arguments: ["", "{}", "!", "!{}", "![]", #"!{"client":1}"#, #"!{"line":"x"}"#])
    func `an invalid line is not a frame`(_ line: String) {
        #expect(NodeFrame(Array(line.utf8)) == nil)
    }
}
