import Testing

@testable import Sessions

@Suite struct SessionNameTests {
    @Test(arguments: ["a", "main", "Room-1.b_C", String(repeating: "x", count: 64)])
    func `session names are letters, digits, dot, underscore and dash`(_ name: String) {
        #expect(SessionName(name)?.text == name)
    }

    @Test(arguments: [
        "", " ", "a b", "größe", "*", "a/b", "a\n", String(repeating: "x", count: 65), "a\u{0}",
    ])
    func `other characters are not allowed in a session name`(_ name: String) {
        #expect(SessionName(name) == nil)
    }
}
