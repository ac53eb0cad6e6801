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

    /// `\u{212A}` is the sign for Kelvin, which is canonically equivalent to the letter K.
    @Test func `texts, and the names of members, are compared by their bytes`() {
        let (composed, decomposed) = (Value.string("é"), Value.string("e\u{301}"))
        #expect(composed != decomposed && composed == .string("é"))
        #expect(Set([composed, decomposed, composed]).count == 2)
        #expect(Value.array([composed]) != .array([decomposed]))
        #expect(Member("K", 1) != Member("\u{212A}", 1) && Member("K", 1) == Member("K", 1))
        let members = [Member("\u{212A}", 1), Member("K", 2)]
        #expect(members["K"] == 2 && [members[0]]["K"] == nil)
        #expect(members[1].isNamed("K") && !members[0].isNamed("K"))
        #expect(EventRecord("K", []) != EventRecord("\u{212A}", []))
        #expect(StateRecord("K") != StateRecord("\u{212A}"))
        #expect(Source(.program, peer: .device("é")) != Source(.program, peer: .device("e\u{301}")))
        #expect(Source(.program, as: "cert:é") != Source(.program, as: "cert:e\u{301}"))
        #expect(Set([Source.Peer.address("é"), .address("e\u{301}")]).count == 2)
    }

    /// A daemon holds millions of values.
    @Test func `values and steps have small sizes`() {
        #expect(MemoryLayout<Value>.size == 17)
        #expect(MemoryLayout<Member>.stride == 40)
        #expect(MemoryLayout<Step>.stride == 64)
    }
}
