/// The version that `--version` tells.
let gamectlVersion = "0.1.0"
