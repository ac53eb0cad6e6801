import GameFlow
import Testing

@Suite struct JSONDialectTests {
    let connection: TestConnection

    init() throws { connection = try TestConnection() }

    private func code(_ text: String) -> Value? { connection.json(text)["error.code"] }

    @Test func `a reply has the id of its request`() {
        #expect(
            connection.reply(to: #"{"jsonrpc":"2.0","id":7,"method":"ping"}"#)
                == #"{"jsonrpc":"2.0","id":7,"result":{"pong":true}}"# + "\n")
        #expect(
            connection.reply(
                to: #"  {"method":"ping","id":"x\"y","jsonrpc":"2.0","params":{}}"# + "\r")
                == #"{"jsonrpc":"2.0","id":"x\"y","result":{"pong":true}}"# + "\n")
        #expect(connection.json(#"{"jsonrpc":"2.0","id":5e0,"method":"ping"}"#)["id"] == .int(5))
    }

    /// The codes of JSON-RPC: -32700 for a text that is not JSON, -32600 for JSON that is not a request, -32601 for an
    /// unknown method, and -32602 for an invalid parameter.
    /// The codes of gamed: 1 `noTransition`, 2 `invalid`, 4 `forbidden`, 5 `unknownSession`, 6 `unknownEvent`, 10 `exists`,
    /// 13 `unknownFlow`, 15 `unknownState`.
    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32700),
        (#"{"jsonrpc":"2.0","id":01,"method":"ping"}"#, -32700),
        (#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#, -32700), ("{} {}", -32700),
        ("{\"a\":\"\u{1}\"}", -32700),
        ("[", -32700), ("[1,]", -32700), (#"{"jsonrpc":"2.0","id":1.,"method":"ping"}"#, -32700),
        ("{}", -32600), ("[]", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (#"{"id":1,"method":"ping"}"#, -32600), (#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","x":1}"#, -32600),
        (#"{"jsonrpc":"2.0","id":"\u0000","method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"pong"}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":""}"#, -32601),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":["pause"]}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":1}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","args":[]}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","id":""}}"#, -32602),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","ageMs":-1}}"#,
            -32602
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","ageMs":1.5}}"#,
            -32602
        ), (#"{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":"a b"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"status","params":{"session":null}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"open","params":{}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"close"}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"watch","params":{"topics":["x"]}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"advance","params":{"by":"3"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"advance","params":{}}"#, -32602),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"advance","params":{"by":"1s","toNext":true}}"#,
            -32602
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"timer","params":{"fires":"x","action":"stop"}}"#,
            -32602
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"timer","params":{"fires":"x","action":"extend"}}"#,
            -32602
        ), (#"{"jsonrpc":"2.0","id":1,"method":"list","params":{"limit":0}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","session":"no"}}"#, 5),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pase"}}"#, 6),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"tick"}}"#, 4),
        (#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause"}}"#, 1),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"pause","args":{"x":1.5}}}"#,
            2
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"chooseLevel","args":{"level":1.5}}}"#,
            2
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"open","params":{"session":"main"}}"#, 10),
        (#"{"jsonrpc":"2.0","id":1,"method":"open","params":{"session":"x","flow":"gam"}}"#, 13),
        (#"{"jsonrpc":"2.0","id":1,"method":"goto","params":{"state":"nowhere"}}"#, 15),
        (#"{"jsonrpc":"2.0","id":1,"method":"goto","params":{"state":"paused"}}"#, 2),
    ])
    func `an invalid request gets the documented error code`(_ text: String, _ code: Int) {
        let before = connection.reply(to: "status")
        #expect(self.code(text) == .int(code))
        #expect(connection.reply(to: "status") == before)
    }

    @Test func `invalid UTF-8 and NUL bytes are parse errors`() {
        #expect(
            connection.reply(
                to:
                    Array(#"{"jsonrpc":"2.0","id":""#.utf8) + [0xFF]
                    + Array(#"","method":"ping"}"#.utf8)
            ).contains("-32700"))
        #expect(
            connection.reply(to: Array("{\"a\":\"".utf8) + [0] + Array("\"}".utf8)).contains(
                "-32700"))
    }

    @Test func `nesting of 10 000 levels is an error with the limit's name`() {
        let deep = String(repeating: "[", count: 10_000)
        #expect(connection.json(deep)["error.data.which"] == .string("depth"))
        #expect(connection.json(#"{"a":"# + deep)["error.message"] == .string("limit"))
    }

    @Test func `a notification gets no reply, even if it is refused`() {
        #expect(
            connection.reply(
                to: #"{"jsonrpc":"2.0","method":"send","params":{"event":"displayHelp"}}"#) == "")
        #expect(connection.json("status")["state"] == .string("help"))
        #expect(
            connection.reply(
                to: #"{"jsonrpc":"2.0","method":"send","params":{"event":"displayHelp"}}"#) == "")
        #expect(connection.reply(to: #"{"jsonrpc":"2.0","method":"nonsense"}"#) == "")
    }

    @Test func `a batch gets one line of replies in order, and is not atomic`() {
        let answer = connection.reply(
            to:
                #"[{"jsonrpc":"2.0","method":"send","params":{"event":"displayHelp"}},{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}},7,{"jsonrpc":"2.0","id":"b","method":"ping"}]"#
        )
        #expect(answer.filter { $0 == "\n" }.count == 1)
        // The second request sends the event of the first request again. It is refused because the first request was executed.
        #expect(answer.hasPrefix(#"[{"jsonrpc":"2.0","id":1,"error":{"code":1,"#))
        let replies = connection.json(
            #"[{"jsonrpc":"2.0","id":1,"method":"ping"},7,{"jsonrpc":"2.0","id":"b","method":"ping"}]"#
        )
        #expect(replies["0.id"] == .int(1))
        #expect(replies["1.id"] == .null)
        #expect(replies["1.error.code"] == .int(-32600))
        #expect(replies["2.result.pong"] == .bool(true))
        #expect(replies["3"] == nil)
    }

    @Test func `a batch that has only notifications gets no reply`() {
        #expect(
            connection.reply(
                to: #"[{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","method":"ping"}]"#)
                == "")
    }

    @Test func `the requests of a batch get errors once its reply exceeds the limit`() throws {
        let connection = try TestConnection()
        for number in 0..<2000 {
            _ = connection.reply(to: "open @session-with-a-rather-long-name-number-\(number)")
        }
        let listRequest = #"{"jsonrpc":"2.0","id":1,"method":"list","params":{"limit":10000}}"#
        let answer = connection.reply(
            to: "[" + Array(repeating: listRequest, count: 200).joined(separator: ",") + "]")
        // The limit is 8 MiB, which the last reply before the errors may exceed.
        #expect(answer.utf8.count < 10 << 20)
        #expect(answer.contains(#""which":"batchBytes""#))
    }
}
