import TestSupport
import Testing

/// `Scripts/release`, in a small repository with the files that it changes.
@Suite struct ReleaseScriptTests {
    private let folder = Folder()

    /// Makes the repository, runs commands in it, and returns their output.
    private func run(_ changelog: String, _ commands: String) -> String {
        let text = folder.write("changelog", changelog)
        return ShellCommand.run(
            """
            root=$PWD && mkdir \(folder.path)/repository && cd \(folder.path)/repository
            for file in Scripts/release Sources/Shell/Version.swift Clients/python/src/gamed/__init__.py; do
                mkdir -p "$(dirname $file)" && cp "$root/$file" $file
            done
            sed -i 's/^public let gamedVersion = .*/public let gamedVersion = "0.1.0"/' Sources/Shell/Version.swift
            cp \(text) CHANGELOG.md
            export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
            git init -q . && git add . && git commit -qm start
            \(commands)
            """)
    }

    private static let changelog = """
        # Changelog

        ## [Unreleased]

        ### Added

        - A thing.

        ## [0.1.0] - 2026-11-20

        The first version.

        """

    @Test func `a release writes the version, the changelog and the text of the tag`() {
        let output = run(
            Self.changelog,
            """
            Scripts/release tag 0.2.0
            grep -h 0.2.0 Sources/Shell/Version.swift Clients/python/src/gamed/__init__.py
            sed -n 3,6p CHANGELOG.md | sed 's/- 20.*/- DATE/'
            git tag -l --format='%(contents)' v0.2.0
            git status --porcelain
            git log --format=%s
            """)
        #expect(
            output == """
                release: the commit and the tag v0.2.0 are made
                public let gamedVersion = "0.2.0"
                __version__ = "0.2.0"
                ## [Unreleased]

                ## [0.2.0] - DATE

                gamed 0.2.0

                ### Added

                - A thing.

                release: version 0.2.0
                start

                """, "\(output)")
    }

    @Test(arguments: [
        ("Scripts/release check 0.2", "VERSION=0.2: expected three numbers such as 0.2.0"),
        ("Scripts/release check 0.1.0", "the version has to be greater than 0.1.0"),
        ("Scripts/release check 0.0.9", "the version has to be greater than 0.1.0"),
        ("Scripts/release check ''", "expected a version: make release VERSION=0.2.0"),
        ("git tag v0.2.0; Scripts/release check 0.2.0", "the tag v0.2.0 exists already"),
        ("touch new; Scripts/release check 0.2.0", "some files are not committed"),
        ("Scripts/release files", "this commit has no tag v0.1.0"),
    ])
    func `a release that cannot be made changes nothing`(_ commands: String, _ why: String) {
        let output = run(
            Self.changelog, "\(commands); echo $?; git diff HEAD --stat; git log --format=%s")
        #expect(output.hasPrefix("release: ") && output.contains(why), "\(output)")
        #expect(output.hasSuffix("\n1\nstart\n"), "\(output)")
    }

    @Test func `a release without changes is refused`() {
        let output = run(
            "## [Unreleased]\n\n## [0.1.0] - 2026-11-20\n\nThe first.\n",
            "Scripts/release check 0.2.0")
        #expect(output == "release: CHANGELOG.md has nothing under [Unreleased]\n")
    }

    @Test func `the programs of a source archive name its commit, also inside another clone`() {
        let output = run(
            Self.changelog,
            """
            for file in Scripts/commit .gitattributes; do cp "$root/$file" $file; done
            git add . && git commit -qm scripts
            git init -q other && git -C other commit -q --allow-empty -m other
            git archive --prefix=gamed/ HEAD | tar -x -C other
            [ "$(other/gamed/Scripts/commit)" = "$(git rev-parse --short=8 HEAD)" ] && echo archive
            [ "$(Scripts/commit)" = "$(git rev-parse --short=8 HEAD)" ] && echo clone
            mkdir plain && cp -r Scripts plain && plain/Scripts/commit
            echo >>CHANGELOG.md && Scripts/commit | cut -c 9-
            """)
        #expect(output == "archive\nclone\nunknown\n-changed\n", "\(output)")
    }

    @Test func `the checksums are those of all files, and a changed file is found`() {
        folder.write("a.deb", "one")
        folder.write("b.whl", "two")
        let output = ShellCommand.run(
            """
            Scripts/release sums \(folder.path) && cd \(folder.path) && cut -c 67- SHA256SUMS && sha256sum --check SHA256SUMS
            echo three >b.whl; sha256sum --check --quiet SHA256SUMS 2>/dev/null
            """)
        #expect(output == "a.deb\nb.whl\na.deb: OK\nb.whl: OK\nb.whl: FAILED\n", "\(output)")
    }
}
