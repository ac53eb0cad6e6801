import GameFlow
import RPC
import Shell
import Testing
import Timers

@testable import GamectlTool

struct CommandTests {
    /// The request that gamectl makes of the words of its command line.
    private func request(_ words: String...) throws -> Request {
        guard case .request(let request, _) = try Command.read(words) else {
            throw CommandError.usage("no request")
        }
        return request
    }

    /// Why the command line is refused; nil if it is valid.
    private func failure(_ words: String...) -> CommandError? { failure(words) }

    private func failure(_ words: [String]) -> CommandError? {
        do throws(CommandError) {
            _ = try Command.read(words)
            return nil
        } catch { return error }
    }

    @Test func `follow takes the name of one session`() throws {
        #expect(
            try Command.read(["follow", "@room-1"])
                == .watch(WatchOptions(following: "room-1"), Settings()))
        #expect(failure("follow", "@a", "@b") != nil && failure("follow", "@*") != nil)
        #expect(failure("follow", "room-1") != nil && failure("--json", "follow") != nil)
    }

    @Test func `words after an event are its arguments`() throws {
        let request = try request("send", "@room-1", "id=k1", "chooseEpisode", "episode=2")
        #expect(request.method == .send)
        #expect(request.params["session"] == .string("room-1"))
        #expect(request.params["id"] == .string("k1"))
        #expect(request.params["args"] == .object([Member("episode", .int(2))]))
    }

    @Test func `a word that begins with a brace is an object`() throws {
        let request = try request("send", "chooseLevel", #"{"level":3}"#)
        #expect(request.params["args"] == .object([Member("level", .int(3))]))
    }

    @Test func `a broken object is a usage error`() {
        for word in ["{", "{]", #"{"a":1} x"#, #"{"a":1,"a":2}"#] {
            #expect(failure("send", "pause", word)?.status == .usage)
        }
    }

    @Test func `words after a state are its data`() throws {
        let request = try request(
            "open", "@room-2", "flow=game", "playingLevel", "episode=1", "level=2")
        #expect(request.params["flow"] == .string("game"))
        #expect(request.params["state"] == .string("playingLevel"))
        let data = [Member("episode", .int(1)), Member("level", .int(2))]
        #expect(request.params["data"] == .object(data))
    }

    @Test func `words form a timer operation`() throws {
        let request = try request("timer", "timeUp", "extend", "by=30s")
        #expect(request.params["fires"] == .string("timeUp"))
        #expect(request.params["action"] == .string("extend"))
        #expect(request.params["by"] == .string("30s"))
    }

    @Test func `options may precede or follow the verb`() throws {
        let before = try Command.read(["--session", "room-1", "--json", "status"])
        #expect(try Command.read(["status", "--json", "--session", "room-1"]) == before)
        guard case .request(let request, let settings) = before else { return }
        #expect(request.params == [Member("session", .string("room-1"))])
        #expect(settings.isJSON)
    }

    @Test func `@NAME behind the verb takes precedence over --session before it`() throws {
        let request = try request("--session", "room-1", "status", "@room-2")
        #expect(request.params == [Member("session", .string("room-2"))])
    }

    @Test func `a request is one line of JSON-RPC`() throws {
        let line = try request("advance", "toNext").line(id: 1)
        let text = #"{"jsonrpc":"2.0","id":1,"method":"advance","params":{"toNext":true}}"#
        #expect(String(decoding: line, as: UTF8.self) == text + "\n")
    }

    @Test func `a fraction is sent as it was typed`() throws {
        let line = try request("send", "chooseLevel", "level=1.50").line(id: 1)
        #expect(String(decoding: line, as: UTF8.self).contains(#""args":{"level":1.50}"#))
    }

    @Test func `control characters are escaped in error messages`() {
        for words in [
            ["--x\u{1B}[31m", "status"],
            ["--socket=\u{1B}[31m" + String(repeating: "x", count: 200)],
            ["sta\u{1B}[31mtus"], ["status", "x\u{9B}31m"], ["--timeout", "\u{1B}c", "ping"],
            ["test", "\u{1B}c.scenario"], ["lint", "\u{1B}c"], ["replay", "/\u{1B}c"],
            ["journal", "\u{1B}c"], ["watch", "x\u{1B}c=1"], ["wait", "--state", "a", "\u{1B}c"],
            ["paths", "--to", "\u{1B}c"], ["graph", "--format", "\u{1B}c"], ["--json=\u{1B}c"],
        ] {
            let message = failure(words)?.why ?? ""
            #expect(
                !message.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" }, "\(words)")
        }
    }

    @Test func `an unknown verb gets a suggestion`() {
        #expect(failure("histroy") == .usage("no verb histroy; did you mean history?"))
        #expect(failure("wiat") == .usage("no verb wiat; did you mean wait?"))
        #expect(failure("xyzzy") == .usage("no verb xyzzy"))
    }

    @Test func `invalid command lines are usage errors`() {
        #expect(failure() == .usage("a verb is missing"))
        #expect(failure("")?.status == .usage)
        #expect(failure("unwatch")?.status == .usage)
        #expect(failure("status", "main")?.status == .usage)
        #expect(failure("backup")?.why.contains("PATH is missing") == true)
        #expect(failure("backup", "onServer=true")?.status == .usage)
        #expect(failure("--timeout", "soon", "ping")?.status == .usage)
        #expect(failure("--timeout", "0s", "ping")?.status == .usage)
        #expect(failure("--socket", "", "ping")?.status == .usage)
        #expect(failure("--state", "help", "status")?.status == .usage)
        #expect(failure("list", "limit=many")?.status == nil)  // The daemon checks this parameter.
    }

    @Test func `help and version take precedence over all but an invalid option`() throws {
        #expect(try Command.read(["--help"]) == .help(verb: nil))
        #expect(try Command.read(["help"]) == .help(verb: nil))
        #expect(try Command.read(["--version"]) == .version)
        #expect(failure("--hepl")?.status == .usage)
    }

    @Test func `the help of a verb is short, and names its forms and options`() throws {
        for words in [["help", "wait"], ["wait", "--help"], ["--help", "wait"]] {
            #expect(try Command.read(words) == .help(verb: "wait"))
        }
        let text = Help.text(of: "wait")
        #expect(text.contains("gamectl wait --state NAME") && text.contains("--within"), "\(text)")
        #expect(text.split(separator: "\n").count < 25)
        #expect(failure("help", "wiat")?.status == .usage)
        for verb in Verb.table where !verb.forms.isEmpty {
            let text = Help.text(of: verb.name)
            #expect(!text.isEmpty)
            #expect(
                text.split(separator: "\n", omittingEmptySubsequences: false).count
                    <= Help.lineLimit, "\(verb.name)")
        }
    }

    @Test func `a verb with many forms has a help for each of them`() throws {
        for words in [["help", "journal", "check"], ["journal", "check", "a.db", "--help"]] {
            #expect(try Command.read(words) == .help(verb: "journal check"))
        }
        #expect(try Command.read(["help", "journal", "chekc"]) == .help(verb: "journal"))
        let check = Help.text(of: "journal check")
        #expect(check.contains("checksum") && !check.contains("journal convert"), "\(check)")
        let journal = Help.text(of: "journal")
        #expect(journal.contains("gamectl journal convert [--check] DIR\n"), "\(journal)")
        #expect(journal.contains("`gamectl help journal check`"), "\(journal)")
        #expect(!journal.contains("checksum") && !journal.contains("Options:"), "\(journal)")
        #expect(Help.text(of: "journal forget").contains("--dry-run"))
    }

    @Test func `the request of a watch contains since= and the topics`() throws {
        guard case .watch(let options, _) = try Command.read(["watch", "@*", "since=7"]) else {
            Issue.record("no watch")
            return
        }
        #expect(options.isAll)
        #expect(options.since == 7)
        #expect(options.topics == nil)
        let request = options.request(since: 9, topics: ["changes"])
        #expect(request.params["since"] == .int(9))
        #expect(request.params["topics"] == .array([.string("changes")]))
        #expect(failure("watch", "since=yesterday")?.status == .usage)
    }

    @Test func `wait requires a state, and takes a time and one session`() throws {
        let words = ["wait", "--state", "help", "--within", "5s", "@room-1"]
        guard case .wait(let options, _) = try Command.read(words) else {
            Issue.record("no wait")
            return
        }
        #expect(options.state == "help")
        #expect(options.session == "room-1")
        #expect(options.within == .seconds(5))
        #expect(failure("wait")?.status == .usage)
        #expect(failure("wait", "help", "--state", "help")?.status == .usage)
        #expect(failure("wait", "@*", "--state", "help")?.status == .usage)
    }
}
