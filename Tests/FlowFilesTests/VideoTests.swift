import GameFlow
import Testing

@testable import FlowFiles

/// The keys `video` and `ended` of `show`.
@Suite struct VideoTests {
    private func text(_ show: String, _ rest: String = "on: {go: a}") -> String {
        """
        flow: f
        start: a
        languages: [en, de]
        events: {over: {}, go: {}, named: {args: {name: text}}}
        states:
          a:
            show: {\(show)}
            timers: {limit: {after: 5m}}
            on: {over: b, limit: b}
          b: {\(rest)}
        """
    }

    @Test func `a state has a video, and an event that screens send at its end`() throws {
        let flow = try flowFile(text("video: {en: a.mp4, de: b.webm}, ended: over")).flow
        #expect(flow.mistakes == [] && flow.warnings == [])
        let state = try #require(flow.presentation.states["a"])
        #expect(state.video == "a.mp4" && state.ended == "over")
        #expect(flow.presentation.files.map(\.name) == ["a.mp4", "b.webm"])
    }

    @Test(arguments: [
        ("video: a.mov", "a.mov is not a video; expected a name that ends in .mp4 or .webm"),
        ("video: ../a.mp4", "\"../a.mp4\" is not a file in the media directory"),
        ("ended: over", "ended needs a video; write video: FILE beside it"),
        ("video: a.mp4, ended: gone", "there is no event gone; expected one of over, go, named"),
        ("video: a.mp4, ended: named", "named has arguments, and a screen has none to send"),
    ])
    func `a wrong video is a mistake`(_ show: String, _ sentence: String) {
        let found = findings(text(show))
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    /// A flow file of an earlier version, or a session of it, may have one.
    @Test(arguments: [
        ("picture: a.mp4", "a.mp4 is a video; write video: in place of picture:"),
        ("sound: A.WEBM", "A.WEBM is a video; write video: in place of sound:"),
    ])
    func `a video in another place is a warning`(_ show: String, _ sentence: String) throws {
        let flow = try flowFile(text(show)).flow
        #expect(flow.mistakes == [])
        #expect(flow.warnings.contains { $0.contains(sentence) }, "\(flow.warnings)")
        let source = FlowSource(version: "1", text: Array(text(show).utf8))
        #expect(throws: Never.self) { try FlowFile.flow(of: source) }
    }

    @Test func `a state that only a screen can end is a warning`() throws {
        let show = "show: {video: a.mp4, ended: over}"
        let only = try flowFile(text("text: x", "\(show), on: {over: a}")).flow.warnings
        #expect(
            only.contains { $0.contains("b is left only when a screen has played the video") },
            "\(only)")
        let staying = try flowFile(text("text: x", "\(show), on: {over: a, go: stay}")).flow
            .warnings
        #expect(staying.contains { $0.contains("b is left only when") }, "\(staying)")
        for other in ["on: {over: a, go: a}", "timers: {t: {after: 1m}}, on: {over: a, t: a}"] {
            #expect(try flowFile(text("text: x", "\(show), \(other)")).flow.warnings == [])
        }
    }

    @Test func `a state that refuses the event of its screens is a warning`() throws {
        let warnings = try flowFile(
            text("text: x", "show: {video: a.mp4, ended: over}, on: {go: a}")
        ).flow.warnings
        #expect(
            warnings.contains { $0.contains("b has no row for over, which its screens send") },
            "\(warnings)")
    }
}
