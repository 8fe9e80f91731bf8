// What Swift sees of OpenSSL's libcrypto: ciphers and hashes, for large inputs. Only EarshotCrypto imports this module.
//
// It is loaded and not linked: most commands have no large input, and to resolve its symbols took an eighth of their start.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#if !__has_include(<openssl/evp.h>)
#error "the headers of OpenSSL are missing: install libssl-dev"
#endif

#include <dlfcn.h>
#include <openssl/evp.h>
#include <stdbool.h>

// The functions that are used, under their names without EVP_.
typedef struct {
    __typeof__(&EVP_CIPHER_fetch) CIPHER_fetch;
    __typeof__(&EVP_CIPHER_CTX_new) CIPHER_CTX_new;
    __typeof__(&EVP_CIPHER_CTX_free) CIPHER_CTX_free;
    __typeof__(&EVP_CIPHER_CTX_ctrl) CIPHER_CTX_ctrl;
    __typeof__(&EVP_EncryptInit_ex2) EncryptInit_ex2;
    __typeof__(&EVP_EncryptUpdate) EncryptUpdate;
    __typeof__(&EVP_EncryptFinal_ex) EncryptFinal_ex;
    __typeof__(&EVP_DecryptInit_ex2) DecryptInit_ex2;
    __typeof__(&EVP_DecryptUpdate) DecryptUpdate;
    __typeof__(&EVP_DecryptFinal_ex) DecryptFinal_ex;
    __typeof__(&EVP_MD_fetch) MD_fetch;
    __typeof__(&EVP_MD_CTX_new) MD_CTX_new;
    __typeof__(&EVP_MD_CTX_free) MD_CTX_free;
    __typeof__(&EVP_DigestInit_ex2) DigestInit_ex2;
    __typeof__(&EVP_DigestUpdate) DigestUpdate;
    __typeof__(&EVP_DigestFinal_ex) DigestFinal_ex;
} COpenSSLFunctions;

#define COPENSSL_FIND(name) \
    if (!(functions->name = (__typeof__(functions->name))dlsym(library, "EVP_" #name))) return false

// Finds the functions. Returns whether they are there. The library stays loaded.
static inline bool copenssl_load(COpenSSLFunctions *functions) {
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return false;
    COPENSSL_FIND(CIPHER_fetch);
    COPENSSL_FIND(CIPHER_CTX_new);
    COPENSSL_FIND(CIPHER_CTX_free);
    COPENSSL_FIND(CIPHER_CTX_ctrl);
    COPENSSL_FIND(EncryptInit_ex2);
    COPENSSL_FIND(EncryptUpdate);
    COPENSSL_FIND(EncryptFinal_ex);
    COPENSSL_FIND(DecryptInit_ex2);
    COPENSSL_FIND(DecryptUpdate);
    COPENSSL_FIND(DecryptFinal_ex);
    COPENSSL_FIND(MD_fetch);
    COPENSSL_FIND(MD_CTX_new);
    COPENSSL_FIND(MD_CTX_free);
    COPENSSL_FIND(DigestInit_ex2);
    COPENSSL_FIND(DigestUpdate);
    COPENSSL_FIND(DigestFinal_ex);
    return true;
}

#undef COPENSSL_FIND

#endif
