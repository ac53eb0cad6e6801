import GameFlow
import Glibc
import TestSupport
import Testing

@testable import FlowFiles

/// Tables: rows in the flow file or in a file beside it, which expressions read.
@Suite struct TableTests {
    private static let text = """
        flow: quiz
        start: asking
        effects: [say]
        events: {next: , back: , open: {digits: text}, at: {n: integer}}
        tables:
          questions:
            columns: {ask: text, answer: text, points: integer = 10, picture: optional text}
            rows:
              - {ask: 'Two and two?', answer: '4'}
              - {ask: Capital of France?, answer: Paris, points: 20, picture: paris.png}
          doors:
            columns: {code: text, opens: text}
            rows: [{code: '0451', opens: cellar}, {code: '1234', opens: roof}]
        states:
          asking:
            data: {round: integer = 1, score: integer = 0, place: text = hall}
            on:
              next:
                if: round < count(questions)
                with: {round: =round + 1, score: "=score + questions[round].points"}
                do: [say: {text: "=questions[round + 1].ask", picture: "=questions[round + 1].picture"}]
                else: {refuse: that was the last one}
              back: {with: {round: =round - 1, place: "=questions[round - 1].ask"}}
              open:
                - if: find(doors, code, digits) == 0
                  refuse: {digits: opens nothing}
                - with: {place: '=doors[find(doors, code, digits)].opens'}
              at: [{if: "questions[n].points > 10", to: asking}, stay]
        """

    private static let file = """
        flow: quiz
        start: asking
        events: {next: }
        tables:
          questions:
            columns: {ask: text, points: integer 0..100 = 10, isLast: boolean = false}
            file: questions.csv
        states:
          asking:
            data: {round: integer 1..9 = 1, asked: text = ''}
            on: {next: {with: {asked: '=questions[round].ask', round: =round + 1}}}
        """

    private func findings(_ text: String, _ csv: String) -> [String] {
        FlowFilesTests.findings(
            text, tableFiles: [.init(name: "questions.csv", bytes: Array(csv.utf8))])
    }

    @Test func `a row is read by its number, from 1`() throws {
        let game = try PlayedFlow(Self.text)
        #expect(game.send("next") == "asking")
        #expect(
            game.data == [Member("round", 2), Member("score", 10), Member("place", "hall")])
        #expect(
            game.effects == [
                EffectRecord(
                    name: "say",
                    arguments: [
                        Member("text", "Capital of France?"), Member("picture", "paris.png"),
                    ])
            ])
        #expect(game.send("next") == "invalid: that was the last one")
    }

    @Test func `find gives the number of the first row with a value`() throws {
        let game = try PlayedFlow(Self.text)
        #expect(game.send("open", Member("digits", "1234")) == "asking")
        #expect(game.data["place"] == .string("roof"))
        #expect(game.send("open", Member("digits", "9")) == "invalid: digits: opens nothing")
    }

    @Test func `a row that does not exist is invalid with what it was for`() throws {
        let game = try PlayedFlow(Self.text)
        #expect(game.send("back") == "invalid: place: the table questions has no row 0")
        #expect(
            game.send("at", Member("n", 3)) == "invalid: if: the table questions has no row 3")
        #expect(game.data["round"] == .int(1))
    }

    @Test func `the ends of a table and compared values are samples`() throws {
        let flow = try flowFile(Self.text).flow
        let samples = { (event: String) in
            flow.events.first { $0.name == event }!.samples.compactMap { $0.first?.value }
        }
        #expect(samples("open").contains("0451") && samples("open").contains("1234"))
        #expect(samples("at").contains(1) && samples("at").contains(2))
        #expect(flow.events.first { $0.name == "open" }?.hasSecretSamples == true)
    }

    @Test(arguments: [
        ("rows: []", "columns: {ask: text}", "", "4:3"),
        ("", "columns: {ask: text}", "t has no rows; write rows: [{…}] or file: NAME.csv", "4:3"),
        ("rows: []", "", "t has no columns; write columns: {ask: text}", "4:3"),
        (
            "rows: []\n    file: t.csv", "columns: {ask: text}",
            "a table has either rows or a file", "7:11"
        ),
        (
            "file: ../t.csv", "columns: {ask: text}",
            "expected the name of a file beside the flow file, without /, such as questions.csv",
            "6:11"
        ),
        (
            "file: t.csv", "columns: {ask: text}", "t.csv cannot be read: there is no such file",
            "6:11"
        ),
        (
            "rows: [{asks: x}]", "columns: {ask: text}",
            "a row of this table has no key asks; did you mean ask?", "6:13"
        ),
        (
            "rows: [{}]", "columns: {ask: text}",
            "ask is missing; give it a value here, or a default in its column", "6:12"
        ),
        ("rows: [{n: x}]", "columns: {n: integer}", "n: expected an integer, not \"x\"", "6:16"),
        ("rows: [{n: 12}]", "columns: {n: integer 0..9}", "n is not within 0…9", "6:16"),
        ("rows: []", "columns: {n: set}", "a column has single values and cannot be set", "5:18"),
        (
            "rows: []", "columns: {n: integer 0..9 = 12}", "the default of n is not within 0…9",
            "5:18"
        ),
    ])
    func `a table with a mistake has its position`(
        _ rows: String, _ columns: String, _ sentence: String, _ position: String
    ) {
        let text = """
            flow: f
            start: a
            tables:
              t:
                \(columns.isEmpty ? "#" : columns)
                \(rows)
            states: {a: }
            """
        let expected = sentence.isEmpty ? [] : ["\(position): \(sentence)"]
        #expect(FlowFilesTests.findings(text).filter { $0.contains(sentence) } == expected)
    }

    @Test(arguments: [
        ("with: {n: '=t[1]'}", "a row of t is no value; write t[…].COLUMN with one of ask, n"),
        ("with: {n: '=t[1].m'}", "there is no column m of t here; did you mean n?"),
        ("with: {n: '=t[word].n'}", "expected integer, but this is text"),
        ("with: {n: '=n[1]'}", "only a table and an order have rows, and this is integer"),
        ("with: {n: =t}", "t is a table; write t[1].ask or count(t)"),
        ("with: {n: '=find(u, n, 1)'}", "there is no table u here; did you mean t?"),
        ("with: {n: '=find(t, k, 1)'}", "there is no column k of t here; did you mean n?"),
        ("with: {n: '=find(t, n, word)'}", "expected integer, but this is text"),
        ("with: {n: '=t[1.n'}", "expected a closing bracket, not ."),
    ])
    func `a wrong use of a table is a mistake`(_ row: String, _ sentence: String) {
        let text = """
            flow: f
            start: a
            events: {go: {word: text}}
            tables: {t: {columns: {ask: text, n: integer}, rows: []}}
            states: {a: {data: {n: integer = 1}, on: {go: {\(row)}}}}
            """
        let found = FlowFilesTests.findings(text)
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    // MARK: files

    @Test(arguments: [
        ("columns: {a: txt}", "4:20: txt is not a type; did you mean text?"),
        (
            "columns: {a: text 0..1200}",
            "4:20: a text has at most 1000 characters (limit: textLength)"
        ),
        ("columns: {a: set}", "4:20: a column has single values and cannot be set"),
    ])
    func `a mistake in a column causes no finding in what uses it`(
        _ columns: String, _ finding: String
    ) {
        func text(_ rows: String) -> String {
            """
            flow: f
            start: a
            tables:
              q: {\(columns), \(rows)}
            events: {go: }
            states: {a: {on: {go: {if: "q[1].a == 'x'", do: []}}}}
            """
        }
        #expect(FlowFilesTests.findings(text("rows: [{a: x}]")) == [finding])
        let file = FlowSource.TableFile(name: "q.csv", bytes: Array("a\nx\n".utf8))
        #expect(FlowFilesTests.findings(text("file: q.csv"), tableFiles: [file]) == [finding])
    }

    @Test func `a table file is read, and the version contains it`() throws {
        let folder = Folder()
        let path = folder.write("quiz.yaml", Self.file)
        folder.write("questions.csv", "\u{FEFF}points,ask\r\n5,\"One, two?\"\r\n,Three?\r\n")
        let file = try FlowFile(path: path)
        let source = try #require(file.flow.source)
        #expect(source.tableFiles.map(\.name) == ["questions.csv"])
        #expect(source.version != FlowFileText.version(of: source.text, []))
        let game = PlayedFlow(try FlowFile.flow(of: source))
        try game.open()
        game.send("next")
        #expect(game.data["asked"] == .string("One, two?"))
        #expect(game.send("next") == "asking")
        #expect(
            game.send("next") == "invalid: asked: the table questions has no row 3")
        #expect(FlowFile.hasSameTables(source, at: path))
        folder.write("questions.csv", "ask\nFour?")
        #expect(!FlowFile.hasSameTables(source, at: path))
        #expect(try FlowFile(path: path).version != file.version)
    }

    @Test func `the version is that of the text and each file's name and bytes`() {
        // printf 'a\0q.csv\0x' | sha256sum
        let file = FlowSource.TableFile(name: "q.csv", bytes: Array("x".utf8))
        #expect(FlowFileText.version(of: Array("a".utf8), [file]) == "20e1f26f4af1")
        #expect(FlowFileText.version(of: Array("a".utf8), []) == "ca978112ca1b")
    }

    @Test func `a symbolic link is no table file`() throws {
        let folder = Folder()
        let path = folder.write("quiz.yaml", Self.file)
        let target = folder.write("other.csv", "ask\nOne?")
        #expect(symlink(target, "\(folder.path)/questions.csv") == 0)
        do throws(FlowFileError) {
            _ = try FlowFile(path: path)
            Issue.record("read")
        } catch {
            #expect(
                error.findings.map(\.description) == [
                    "\(path):7:11: questions.csv cannot be read: it is a symbolic link"
                ])
        }
    }

    @Test(arguments: [
        ("", "1:1: the file is empty; its first line names the columns"),
        ("ask,points\nOne?,x", "2:6: points: expected an integer, not \"x\""),
        ("ask,points\nOne?,101", "2:6: points is not within 0…100"),
        ("ask,points,isLast\nOne?,1,yes", "2:8: isLast: expected true or false, not \"yes\""),
        ("ask,points\nOne?", "2:1: 1 fields in this line, and 2 in the first one"),
        ("ask\nOne?,1", "2:6: 2 fields in this line, and 1 in the first one"),
        ("asks\nOne?", "1:1: there is no column asks; did you mean ask?"),
        (
            "points, ask\n5, One?",
            "1:8: blanks around ask; write the name of a column, and each value, directly between the commas"
        ),
        ("points\n1", "1:1: the first line does not name the column ask"),
        ("ask,ask\n1,2", "1:5: the column ask is here twice"),
        ("ask;points\n1;2", "1:1: the fields are separated by ; here; separate them by commas"),
        ("ask\n\"One", "2:1: the field that begins here has no closing quote"),
    ])
    func `a mistake in a table file has its position there`(_ csv: String, _ sentence: String) {
        #expect(
            findings(Self.file, csv).contains("questions.csv:\(sentence)"),
            "\(findings(Self.file, csv))")
    }

    @Test(arguments: [
        (1001, 1, FlowFileLimit.tableRows), (1, 262_144, .tableBytes),
    ])
    func `a table has limits`(_ rows: Int, _ length: Int, _ limit: FlowFileLimit) {
        let folder = Folder()
        let path = folder.write("quiz.yaml", Self.file)
        let row = String(repeating: "x", count: length)
        folder.write(
            "questions.csv", "ask\n" + String(repeating: "\(row)\n", count: rows))
        do throws(FlowFileError) {
            _ = try FlowFile(path: path)
            Issue.record("read")
        } catch { #expect(error.findings.contains { $0.sentence.hasSuffix(limit.sentence) }) }
    }
}
