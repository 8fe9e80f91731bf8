#pragma once
// What Swift sees of OpenSSL: ciphers and hashes, for large inputs. Only EarshotCrypto imports this module.
#include <openssl/evp.h>
