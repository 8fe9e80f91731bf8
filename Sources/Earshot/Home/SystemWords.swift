import Foundation

/// The system's words for errors of files, where Foundation has its own, which tell a person nothing: *The operation could not
/// be completed. (NSCocoaErrorDomain error 512.)*
package enum SystemWords {
    package static func words(for error: any Error) -> String {
        var next: NSError? = error as NSError
        while let error = next {
            if error.domain == NSPOSIXErrorDomain { return PrivateFile.words(for: Int32(error.code)) }
            next = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        }
        guard let code = (error as? CocoaError)?.code else { return "\(error)" }
        return number(of: code).map(PrivateFile.words(for:)) ?? "the system does not say why"
    }

    private static func number(of code: CocoaError.Code) -> Int32? {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: EACCES
        case .fileWriteFileExists: EEXIST
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteVolumeReadOnly: EROFS
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: ENAMETOOLONG
        default: nil
        }
    }
}
