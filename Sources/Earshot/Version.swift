import EarshotModel

/// The version of this package, in semantic versioning (`0.minor.patch`). Read it as `Earshot.version`.
public let version = "0.11.0"

/// The version as programs tell it to people: with the build, unless it is a release.
package let versionOfBuild = Build.present.named(version)
