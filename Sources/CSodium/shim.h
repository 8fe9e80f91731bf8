#pragma once
// The whole of libsodium that Swift sees. Only EarshotCrypto imports this module, and its tests, which forge signatures.
#if !__has_include(<sodium.h>)
#error "the headers of libsodium are missing: install libsodium-dev"
#endif
#include <sodium.h>

// Swift does not import a type that is aligned to more than 16 bytes, as crypto_generichash_blake2b_state is. Its
// alignment is for speed only: inside, libsodium reads the state as a packed structure. So Swift holds the same bytes
// under this type, and calls through these functions.
typedef struct csodium_blake2b_state {
    unsigned long long words[sizeof(crypto_generichash_blake2b_state) / sizeof(unsigned long long)];
} csodium_blake2b_state;

static inline int csodium_blake2b_init(csodium_blake2b_state *state, size_t digest_bytes) {
    return crypto_generichash_blake2b_init((crypto_generichash_blake2b_state *) state, NULL, 0, digest_bytes);
}

static inline int csodium_blake2b_update(csodium_blake2b_state *state, const unsigned char *bytes, size_t count) {
    return crypto_generichash_blake2b_update((crypto_generichash_blake2b_state *) state, bytes, count);
}

static inline int csodium_blake2b_final(csodium_blake2b_state *state, unsigned char *digest, size_t digest_bytes) {
    return crypto_generichash_blake2b_final((crypto_generichash_blake2b_state *) state, digest, digest_bytes);
}
