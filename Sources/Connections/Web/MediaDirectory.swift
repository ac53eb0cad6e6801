import CLinux
package import GameFlow
import Glibc
package import Support

/// The files for the players' pages. They are the files of the directory of `--media`, and of the directories in it. They are
/// read at the start and at SIGHUP. Symbolic links, hidden files, and files whose ending is not in `types` are left out.
package struct MediaDirectory {
    /// The files by their paths in the directory of `--media`, such as `sounds/door.mp3`.
    package private(set) var files: [ByteText: MediaFile] = [:]
    /// A sentence for each file that was left out because of a limit, an error or a symbolic link. Hidden files, and files of
    /// other types, are left out without a sentence.
    package private(set) var problems: [String] = []
    /// Whether the directory of `--media` could be opened.
    package private(set) var wasOpened = true
    /// The size of all files in memory together, in bytes.
    private var totalSize = 0
    private var videoCount = 0

    /// The maximum size of a file in bytes.
    package static let fileSizeLimit = 16 << 20
    /// The maximum size of all files together in bytes. The files are kept in memory.
    static let totalSizeLimit = 128 << 20
    /// The maximum size of a video in bytes. Videos are not kept in memory.
    package static let videoSizeLimit = 2 << 30
    /// The maximum number of files.
    package static let fileCountLimit = 1000
    /// The maximum number of videos. Each keeps a descriptor open.
    package static let videoCountLimit = 100
    /// The maximum number of nested directories, including the directory of `--media`.
    static let depthLimit = 4

    /// The MIME types of the files, by the endings of their names.
    private static let types: [String: StaticString] = [
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
        "gif": "image/gif", "svg": "image/svg+xml", "mp3": "audio/mpeg", "ogg": "audio/ogg",
        "wav": "audio/wav", "m4a": "audio/mp4", "css": "text/css; charset=utf-8",
        "html": "text/html; charset=utf-8", "mp4": "video/mp4", "webm": "video/webm",
    ]

    /// No files, without `--media`.
    package init() {}

    /// Reads all files of the directory at `path`. A file that has not changed since it was read into `previous` is not read
    /// again.
    package init(_ path: String, previous: MediaDirectory = MediaDirectory()) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            wasOpened = false
            problems = ["--media \(path): \(String(cString: strerror(errno)))"]
            return
        }
        read(descriptor, in: "", depth: 1, previous)
    }

    /// Reads the directory that `descriptor` refers to, and closes the descriptor. `prefix` is the path of the directory in the
    /// directory of `--media`: empty, or with a `/` at the end.
    private mutating func read(
        _ descriptor: Int32, in prefix: String, depth: Int, _ previous: MediaDirectory
    ) {
        guard let directory = fdopendir(descriptor) else {
            let why = String(cString: strerror(errno))
            close(descriptor)
            return problems.append("--media \(prefix): \(why)")
        }
        defer { closedir(directory) }
        for name in FilePath.names(in: directory) {
            add(name, prefix, descriptor, depth, previous)
        }
    }

    /// Adds the file `name` of a directory. If `name` is itself a directory, adds its files.
    private mutating func add(
        _ name: String, _ prefix: String, _ directory: Int32, _ depth: Int,
        _ previous: MediaDirectory
    ) {
        let path = prefix + name
        // O_NONBLOCK, because otherwise opening a named pipe would wait until another program opens its other end.
        let descriptor = openat(
            directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let why =
                errno == ELOOP
                ? "symbolic links are not followed" : String(cString: strerror(errno))
            return problems.append("--media: \(path): \(why)")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let why = String(cString: strerror(errno))
            close(descriptor)
            return problems.append("--media: \(path): \(why)")
        }
        if status.st_mode & S_IFMT == S_IFDIR {
            guard depth < Self.depthLimit else {
                close(descriptor)
                return problems.append("--media: \(path): nested deeper than \(Self.depthLimit)")
            }
            return read(descriptor, in: path + "/", depth: depth + 1, previous)
        }
        defer { close(descriptor) }
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        guard status.st_mode & S_IFMT == S_IFREG, let type = Self.types[ending] else { return }
        add(path, descriptor, status, type, previous)
    }

    /// Reads a regular file, or opens a video, unless it has not changed or a limit is exceeded.
    private mutating func add(
        _ path: String, _ descriptor: Int32, _ status: stat, _ type: StaticString,
        _ previous: MediaDirectory
    ) {
        let size = Int(status.st_size)
        let isVideo = FlowPresentation.File.isVideo(path)
        let sizeLimit = isVideo ? Self.videoSizeLimit : Self.fileSizeLimit
        guard size <= sizeLimit else {
            return problems.append(
                "--media: \(path): \(size) bytes; at most \(sizeLimit) are possible")
        }
        guard !isVideo || videoCount < Self.videoCountLimit else {
            return problems.append(
                "--media: \(path): at most \(Self.videoCountLimit) videos are possible")
        }
        let memory = isVideo ? 0 : size
        guard files.count < Self.fileCountLimit, totalSize + memory <= Self.totalSizeLimit else {
            return problems.append(
                "--media: \(path): at most \(Self.fileCountLimit) files and \(Self.totalSizeLimit) bytes in all are possible"
            )
        }
        let stamp = MediaFile.Stamp(
            inode: status.st_ino, size: size, seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
        let unchangedFile = previous.files[ByteText(path)].flatMap { $0.stamp == stamp ? $0 : nil }
        let file =
            unchangedFile
            ?? (isVideo
                ? MediaFile(onDisk: descriptor, stamp, type: type)
                : MediaFile(descriptor, stamp, type: type))
        guard let file else { return problems.append("--media: \(path): cannot be read") }
        files[ByteText(path)] = file
        totalSize += memory
        videoCount += isVideo ? 1 : 0
    }

    /// A sentence for each picture, sound and video that does not exist although a flow shows or plays it.
    package func missingFiles(shownBy flows: [AnyFlow]) -> [String] {
        flows.flatMap { flow in
            flow.presentation.files.filter { files[ByteText($0.name)] == nil }.map {
                "--media: \($0.name) does not exist; the flow \(flow.name) \($0.place)"
            }
        }
    }
}
