/// The version that `--version` and `hello` tell.
let gamedVersion = "0.1.0"
