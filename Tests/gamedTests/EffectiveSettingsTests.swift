import GameFlow
import Parts
import TestSupport
import Testing

@testable import GamedServer

/// The values that are in effect, and where they come from.
@Suite struct EffectiveSettingsTests {
    private let folder = Folder()

    private func options(_ arguments: [String]) throws -> Options {
        guard case .run(let options) = try Options.read(arguments, flows: AnyFlow.shipped()) else {
            throw ChildProcess.Failure(why: "\(arguments)")
        }
        return options
    }

    /// The settings of this name, each as `VALUE|FROM`.
    private func settings(_ name: String, _ settings: EffectiveSettings) -> [String] {
        settings.all.filter { $0.name == name }.map {
            "\($0.value)|\($0.origin.text)\($0.isPending ? "|pending" : "")"
        }
    }

    @Test func `a value comes from a line, an option or the default`() throws {
        folder.write("more.conf", "\nlisten 127.0.0.1:7002\n")
        let file = folder.write(
            "gamed.conf",
            "listen 127.0.0.1:7001\nhttp-host hall\ninclude more.conf\nmedia media\nno-main\n")
        let found = EffectiveSettings(
            try options(["--config", file, "--http-host", "desk", "--zone", "UTC"]))
        let path = folder.path
        #expect(
            settings("listen", found) == [
                "127.0.0.1:7001|\(file):1", "127.0.0.1:7002|\(path)/more.conf:2",
            ])
        #expect(settings("media", found) == ["\(path)/media|\(file):4"])
        #expect(settings("no-main", found) == ["on|\(file):5"])
        #expect(settings("zone", found) == ["UTC|option"])
        #expect(settings("clock", found) == ["real|default"])
        #expect(settings("insecure", found) == ["off|default"])
        #expect(settings("tls-cert", found) == ["|default"])
        #expect(settings("flow", found) == ["game|default"])
    }

    @Test func `each setting is shown, and each limit with its value`() throws {
        let file = folder.write(
            "gamed.conf",
            "limit clients=7\nlimit clients=9\nlimit requests=5 for=token:hall\n")
        let found = EffectiveSettings(try options(["--config", file, "--limit", "requests=3"]))
        let names = Set(found.all.map(\.name))
        for option in Options.table where option.isLine && option.name != "include" {
            #expect(names.contains(option.name) || !option.isOption, "\(option.name)")
        }
        let limits = settings("limit", found)
        #expect(limits.contains("clients=9|\(file):2"))
        #expect(limits.contains("requests=3|option"))
        #expect(limits.contains("requests=5 for=token:hall|\(file):3"))
        #expect(limits.count == Limit.settable.count + 1)
    }

    @Test func `what a reload does not apply waits for a restart`() throws {
        let file = folder.write("gamed.conf", "http-host hall\nlimit clients=7\n")
        var running = try options(["--config", file])
        folder.write("gamed.conf", "\nhttp-host desk\nlimit clients=8\n")
        let newest = try options(["--config", file])
        running.reload(newest)
        let found = EffectiveSettings(running, newest: newest)
        #expect(
            settings("http-host", found) == ["hall|\(file):1", "desk|\(file):2|pending"])
        #expect(settings("limit", found).contains("clients=8|\(file):3"))
        #expect(found.all.count { $0.isPending } == 1)
    }

    @Test(arguments: [
        ("postgresql://u:secret@db/g", false, "postgresql://u:…@db/g"),
        ("postgresql://u@db/g?password=secret", false, "postgresql://u@db/g?…"),
        ("http=https://hook.example/T1/secret?x=1", true, "http=https://hook.example/…"),
        ("https://hall.example/players", false, "https://hall.example/players"),
        ("127.0.0.1:7001", true, "127.0.0.1:7001"), ("", false, ""),
    ])
    func `a secret in a URL is not shown`(_ text: String, _ hidesPath: Bool, _ shown: String) {
        #expect(SecretText.masked(text, hidesPath: hidesPath) == shown)
    }

    @Test(arguments: [
        ("mqtt://u:secret@h:1", "mqtt://…@h:1"), ("mqtt://secret@h", "mqtt://…@h"),
        ("mqtt://u:sec/ret@h:1", "mqtt://…"), ("https://u:sec?ret@h/p", "https://…"),
        ("https://h/p?key=a@secret", "https://…"), ("https://h/p?key=secret", "https://h/p?…"),
        ("u:secret@h:1", "…@h:1"), ("http://x", "http://x"), ("@main", "@main"),
        ("room-?", "room-?"), ("ttyS0", "ttyS0"),
    ])
    func `a mistake about a word does not repeat a login or a query`(
        _ word: String, _ shown: String
    ) { #expect(SecretText.inMistake(word) == shown) }

    @Test(arguments: [
        ("http=https://hook.example/T1/secret?key=secret", "http=https://hook.example/…"),
        ("header=Authorization: Bearer secret", "header=…"), ("line=OPEN", "line=OPEN"),
        ("topic=hall/door", "topic=hall/door"),
    ])
    func `an output line is listed without headers and without the path of a URL`(
        _ word: String, _ shown: String
    ) { #expect(SecretText.listedOutput(word) == shown) }

    @Test(arguments: [
        ("header=Authorization: Bearer secret", "header=…"),
        ("body={\"key\":\"secret\"}", "body=…"),
        ("line=OPEN 0451", "line=…"), ("args={\"code\":\"0451\"}", "args=…"),
        ("topic=hall/door", "topic=hall/door"), ("enter=lost", "enter=lost"),
        ("http=https://hook.example/T1/secret", "http=https://hook.example/…"),
        ("http=https://hook.example?\u{301}secret", "http=https://hook.example/…"),
    ])
    func `what an output sends is not shown`(_ word: String, _ shown: String) {
        #expect(SecretText.maskedOutput(word) == shown)
    }

    @Test func `another query of a database waits for a restart, although it is not shown`()
        throws
    {
        let file = folder.write("gamed.conf", "store postgresql://u@db/g?sslmode=require\n")
        let running = try options(["--config", file])
        folder.write("gamed.conf", "store postgresql://u@db/g?sslmode=disable\n")
        let found = EffectiveSettings(running, newest: try options(["--config", file]))
        #expect(
            settings("store", found) == [
                "postgresql://u@db/g?…|\(file):1", "postgresql://u@db/g?…|\(file):1|pending",
            ])
    }
}
