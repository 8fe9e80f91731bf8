#pragma once

/// A file that the gateway serves, as it lies in the sources: what C23's #embed puts into the program is there wherever the
/// program is moved to.
struct served_file {
    /// Below the folder of the page; of the document of the API, its name.
    const char *path;
    /// Ends with a zero, and has no other.
    const char *text;
};

/// The document of the local API.
extern const struct served_file served_document;

/// Files of the page.
/// - Returns: the one of a number from 0 on; `NULL` after the last one.
const struct served_file *served_page_file(unsigned long number);
