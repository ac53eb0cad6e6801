import GameFlow
import Testing

@Suite struct ValueTests {
    @Test(arguments: [
        (Value.null, "null"), (.bool(true), "true"), (.int(-7), "-7"), (.string("x"), #""x""#),
        (.string("a\n\u{1B}\""), #""a\n\u{1B}\"""#),
        (.unfit("not a whole number", raw: "1.5"), "1.5"),
        (.array([.int(1), .string("x")]), #"[1,"x"]"#), (.array([]), "[]"),
        (.object([Member("number", 4), Member("is", true)]), #"{"number":4,"is":true}"#),
    ])
    func `the description of a value resembles JSON`(value: Value, description: String) {
        #expect("\(value)" == description)
    }

    @Test func `equal states are one element of a set`() {
        let places: Set = [
            StateRecord("counting", [Member("number", 4)]),
            StateRecord("counting", [Member("number", 4)]),
            StateRecord("counting", [Member("number", 5)]), StateRecord("counting"),
        ]
        #expect(places.count == 3)
    }

    @Test
    func `sources are equal if their recorded members are equal; the account is not recorded`() {
        let peer = Source.Peer.process(pid: 1, uid: 2, gid: 3)
        let lamp = Source.Kind("lamp")
        #expect(Source(lamp, peer: peer) == Source(lamp, peer: peer, account: "another"))
        #expect(Source(lamp, peer: peer) != Source(lamp))
        #expect(Source(lamp, peer: peer) != Source(.program, peer: peer))
        #expect(Source(lamp, as: "token:desk") != Source(lamp, as: "token:door"))
    }

    /// A daemon holds millions of values.
    @Test func `values and steps have small sizes`() {
        #expect(MemoryLayout<Value>.size == 17)
        #expect(MemoryLayout<Member>.stride == 40)
        #expect(MemoryLayout<Step>.stride == 64)
    }
}
