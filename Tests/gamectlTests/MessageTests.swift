import Testing

@testable import GamectlTool

struct MessageTests {
    private func message(_ text: String) throws(CommandError) -> Message {
        try Message(Array(text.utf8)[...])
    }

    @Test func `a result keeps its bytes`() throws {
        let line = #"{"jsonrpc":"2.0","id":1,"result":{ "b":1.50, "a":2 }}"#
        guard case .reply(id: 1, .success(let answer)) = try message(line) else {
            Issue.record("no answer")
            return
        }
        #expect(String(decoding: answer.raw, as: UTF8.self) == #"{ "b":1.50, "a":2 }"#)
    }

    @Test func `an error without an id is an error reply`() throws {
        let line = #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{}}}"#
        guard case .reply(id: nil, .failure(let refused)) = try message(line) else {
            Issue.record("no error")
            return
        }
        #expect(refused.code == 11)
    }

    @Test func `a notification needs no params`() throws {
        guard
            case .notification(let notification) = try message(
                #"{"jsonrpc":"2.0","method":"heartbeat"}"#)
        else {
            Issue.record("no notification")
            return
        }
        #expect(notification.method == "heartbeat")
        #expect(notification.raw == Array("{}".utf8))
    }

    @Test(arguments: [
        "rubbish", "[]", "{}", "7", "{\"jsonrpc\":\"2.0\"}", #"{"jsonrpc":"2.0","id":1}"#,
        #"{"jsonrpc":"1.0","id":1,"result":{}}"#, #"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":"x","result":{}}"#, #"{"jsonrpc":"2.0","id":1,"result":7}"#,
        #"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":7}"#, #"{"jsonrpc":"2.0","method":7}"#,
        #"{"jsonrpc":"2.0","method":"change","params":[]}"#, "\u{0}", "{\"jsonrpc\":\"2.0\"",
    ])
    func `invalid lines are protocol errors`(line: String) {
        let error = #expect(throws: CommandError.self) { try message(line) }
        #expect(error?.status == .protocolError)
    }

    @Test func `lines are found in any split of the bytes`() throws {
        let text = Array("one\r\n\ntwo\nrest".utf8)
        for size in 1...text.count {
            var reader = LineReader()
            var lines: [String] = []
            for start in stride(from: 0, to: text.count, by: size) {
                let piece = Array(text[start..<min(text.count, start + size)])
                piece.withUnsafeBytes { reader.append($0) }
                while let line = try reader.next() {
                    lines.append(String(decoding: line, as: UTF8.self))
                }
            }
            #expect(lines == ["one", "", "two"])
        }
    }
}
