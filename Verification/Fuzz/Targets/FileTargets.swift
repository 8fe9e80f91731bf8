import EarshotModel
import Foundation

@testable import Earshot
@testable import EarshotCrypto
@testable import EarshotFiles

/// The contents of files of a home directory, which a restored backup or a failing disk may have changed, and those of files that
/// messages bring along.
let fileTargets = [
    // As many bytes as are read of a key file, and one more.
    FuzzTarget("key-files", maximumBytes: 4097, prepare: { _ = home }) { input in
        let label = [KeyFileLabel.identity, KeyFileLabel.device, KeyFileLabel.network, []][input.choice(4)]
        switch input.choice(4) {
        case 0:
            write(label + input.rest(), to: home.identityFile)
            _ = try? home.isSealed
            _ = try? home.readIdentity(passphrase: nil)
        case 1:
            write(label + input.rest(), to: home.deviceFile)
            _ = try? home.readDevice()
        case 2:
            write(label + input.rest(), to: home.credentialFile)
            _ = try? home.readCredential()
        default:
            write(label + input.rest(), to: home.networkFile)
            guard let key = try? home.networkKey() else { return }
            require((try? NetworkKey(typed: key.text)) == key, "a key is read as it is shown")
        }
    },
    FuzzTarget("picture", maximumBytes: 4096) { input in
        let bytes = input.rest()
        var reads = 0
        let picture = try? PictureReader.read(byteCount: UInt64(bytes.count)) { range throws(FilesError) in
            reads += 1
            require(range.lowerBound >= 0 && range.upperBound <= bytes.count, "nothing beside the file is read")
            return Array(bytes[range])
        }
        require(reads <= bytes.count + 16, "each part is read once")
        guard let picture else { return }
        require(picture.width > 0 && picture.height > 0, "a picture has a size")
        require(picture.width * picture.height <= Limits.shownPicturePixels, "no picture fills the memory")
    },
    FuzzTarget("passphrase-box", maximumBytes: 256) { input in
        var bytes = PassphraseBoxHeader.magic + [PassphraseBoxHeader.version]
        if input.choice(4) == 0 { input.damage(&bytes) }
        bytes += input.rest()
        guard let header = try? PassphraseBoxHeader(reading: bytes) else { return }
        require(PassphraseCost.acceptedPasses.contains(header.cost.passes), "no box asks for too much time")
        require(PassphraseCost.acceptedKibibytes.contains(header.cost.kibibytes), "no box asks for too much memory")
        require(header.bytes.count == PassphraseBoxHeader.count, "a header is of one size")
        // Deriving a key takes as long as the box says, so only cheap ones are opened here.
        guard header.cost.kibibytes <= 16, header.cost.passes == 1 else { return }
        require((try? PassphraseBox.open(bytes, passphrase: SecretBytes(copying: [1]))) == nil, "nobody guesses a key")
    },
]

private func write(_ bytes: [UInt8], to file: String) {
    require(FileManager.default.createFile(atPath: file, contents: Data(bytes)), "the file is written")
    require(chmod(file, 0o600) == 0, "the file is private")
}

private let home: Home = {
    let path = NSTemporaryDirectory() + "/earshot-fuzz-\(getpid())"
    let home = Home(path: path)
    _ = certain { try home.create(name: "alice") }
    return home
}()
