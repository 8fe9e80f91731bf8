/// The version of this package, in semantic versioning (`0.minor.patch`). Read it as `Earshot.version`.
public let version = "0.10.0"
