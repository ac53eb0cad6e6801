import GeneratedText
import TestSupport

/// docs/clients.md, which shows the programs of `Examples/clients`.
enum ClientsPage {
    /// The programs, and their languages as Markdown names them.
    static let programs = [
        (path: "python/package_buzzer.py", language: "python"), ("python/buzzer.py", "python"),
        ("browser/buzzer.html", "html"), ("node/buzzer.mjs", "js"), ("shell/nc.sh", "sh"),
        ("shell/socat.sh", "sh"), ("shell/curl.sh", "sh"),
        ("arduino/buzzer_http/buzzer_http.ino", "cpp"),
        ("arduino/buzzer_mqtt/buzzer_mqtt.ino", "cpp"), ("arduino/buzzer_mqtt/gamed.conf", ""),
        ("csharp/Program.cs", "csharp"),
    ].map { (path: "Examples/clients/\($0.0)", language: $0.1) }

    /// A part of the page for each program: its text as a block of code.
    static let generatedParts = programs.map { program in
        GeneratedPart(
            "docs/clients.md", program.path,
            "```\(program.language)\n\(RepositoryFile.text(program.path))```")
    }
}
