import Connections
import GameFlow
import JSONCoding
import Net
import Parts
import Shards
import Support
import TestSupport
import Testing

@testable import GamedServer

@Suite struct ConfigurationFileTests {
    @Test(arguments: ["# a comment\nclock virtual\n", "clock virtual\r\n", "\n\nclock virtual"])
    func `a byte order mark at the beginning is skipped`(_ text: String) {
        let file = ConfigurationFile("gamed.conf", text: Array(("\u{FEFF}" + text).utf8))
        #expect(file.mistakes == [])
        #expect(file.lines.map(\.name.text) == ["clock"])
    }

    @Test func `a byte order mark elsewhere is a part of a word`() {
        let file = ConfigurationFile("gamed.conf", text: Array("\n\u{FEFF}clock virtual".utf8))
        #expect(file.lines.map(\.name.text) != ["clock"])
    }
}

/// Lines `include PATH`.
@Suite struct IncludedFilesTests {
    private let folder = Folder()

    init() { _ = ShellCommand.run("mkdir '\(folder.path)/conf.d' '\(folder.path)/conf.d/flows'") }

    private func read(_ text: String) throws(Options.OptionsError) -> Options? {
        let file = folder.write("gamed.conf", text)
        guard
            case .run(let options) = try Options.read(
                ["--config", file], flows: AnyFlow.shipped())
        else { return nil }
        return options
    }

    /// The mistakes without the path of the folder.
    private func mistakes(_ text: String) -> [String] {
        do throws(Options.OptionsError) { _ = try read(text) } catch {
            return error.lines.map { $0.replacing("\(folder.path)/", with: "") }
        }
        return []
    }

    @Test func `the lines of the files come where they are included, in the order of the names`()
        throws
    {
        folder.write("conf.d/20.conf", "limit clients=20\n")
        folder.write("conf.d/10.conf", "limit clients=10\nhttp 127.0.0.1:1\n")
        folder.write("conf.d/30.conf.bak", "limit clients=30\n")
        folder.write("conf.d/.40.conf", "limit clients=40\n")
        let options = try #require(try read("http 127.0.0.1:2\ninclude conf.d/*.conf\n"))
        #expect(options.limits.clients == 20)
        #expect(options.web.addresses.map(\.text) == ["127.0.0.1:2", "127.0.0.1:1"])
        #expect(try read("include conf.d/*.conf\nlimit clients=7\n")?.limits.clients == 7)
    }

    @Test func `a folder that cannot be read is a mistake`() throws {
        #expect(
            mistakes("include gamed.conf/*.conf\n") == [
                "gamed.conf:1:9: include: gamed.conf: Not a directory"
            ])
    }

    @Test func `a mistake names the included file, and a relative path begins at its folder`()
        throws
    {
        let path = folder.write("conf.d/a.conf", "media pictures\nallow token:a dance\n")
        #expect(mistakes("include conf.d/a.conf\n") == ["conf.d/a.conf:2:15: " + roleMistake])
        folder.write("conf.d/a.conf", "media pictures\nflows flows\n")
        let options = try #require(try read("include \(path)\n"))
        #expect(options.web.media == "\(folder.path)/conf.d/pictures")
        #expect(options.sessions.flowFiles?.path == "\(folder.path)/conf.d/flows")
    }

    /// What is wrong with the role `dance`, as a file without included lines says.
    private var roleMistake: String {
        let text = mistakes("allow token:a dance\n").first ?? ""
        return String(text.drop { $0 != " " }.dropFirst())
    }

    @Test func `a pattern may match nothing, but a file must exist`() {
        #expect(mistakes("include nowhere/*.conf\n").isEmpty)
        #expect(
            mistakes("include nowhere.conf\n") == [
                "gamed.conf:1:9: include: nowhere.conf: No such file or directory"
            ])
        #expect(
            mistakes("include\n") == [
                "gamed.conf:1:1: include: expected a path such as conf.d/*.conf"
            ])
    }

    @Test func `included files include no others, and their number is limited`() {
        folder.write("conf.d/a.conf", "include b.conf\n")
        #expect(
            mistakes("include conf.d/a.conf\n") == [
                "conf.d/a.conf:1:1: include: an included file cannot include further files"
            ])
        for number in 0..<ConfigurationFile.includeLimit {
            folder.write("conf.d/b\(number).conf", "")
        }
        #expect(mistakes("include conf.d/b*.conf\n").isEmpty)
        #expect(
            mistakes("include conf.d/*.conf\n") == [
                "gamed.conf:1:9: include: more than 256 files"
            ])
    }

    @Test func `a reload applies the lines of included files`() throws {
        folder.write("conf.d/a.conf", "allow token:a play\n")
        let daemon = try DaemonProcess([
            "--config", folder.write("gamed.conf", "include conf.d/*.conf\n"),
        ])
        folder.write("conf.d/b.conf", "allow token:b play\n")
        #expect(
            ShellCommand.run("gamectl --socket $S reload", daemon) == "changed: allow\n")
        #expect(daemon.waitFor("reload: configuration reloaded; rules: 2"))
    }
}
