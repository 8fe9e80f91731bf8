/// The public X25519 keys with which every secret key gives zero: the points of order 1, 2, 4 and 8 and the second
/// encodings of 0 and 1 (RFC 7748, section 7; Bernstein, "Curve25519: new Diffie-Hellman speed records", validation).
enum LowOrderPoint {
    static let all = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]
}
