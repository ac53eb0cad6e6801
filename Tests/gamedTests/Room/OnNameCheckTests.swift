import FlowFiles
import Room
import Testing

@testable import GamedServer

@Suite struct OnNameCheckTests {
    @Test func `an effect of a row that no try took is known`() throws {
        let text = """
            flow: f
            start: a
            events: {go: , far: }
            effects: [openChest]
            states:
              a:
                data: {n: integer = 0}
                on:
                  go: {with: {n: =n + 1}}
                  far: {if: n * n == 490000, do: openChest, else: {refuse: true}}
            """
        let flow = try FlowFile(text: Array(text.utf8), file: "f.yaml").flow
        let check = OnNameCheck([flow])
        #expect(check.note("effect", "openChest") == nil)
        #expect(check.mistake("effect", "openChest", among: []) == nil)
        #expect(check.note("effect", "zzzzzzzz") != nil)
        #expect(check.mistake("effect", "openChst", among: [])?.contains("openChest") == true)
    }
}
